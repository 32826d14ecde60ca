#pragma once

#include <optional>
#include <vector>

#include "core/config_layers/config_document.h"
#include "core/model/fault.h"

namespace jettison {

// A configuration by the kinds of its documents, with the drop-ins put over the others.
struct SortedDocuments {
  std::optional<ConfigDocument> kubelet;   // absent: nobody said anything
  std::optional<ConfigDocument> jettison;  // the same
};

// `documents` are in the order in which they count, drop-ins last. A kind may occur once outside of
// drop-ins, and once in each of these. What is of no kind, of another version or there twice is a
// fault, and left out.
//
// A drop-in that names thresholds where evictionHard was left out changes these alone: the others
// keep their default, as under a kubelet (mergeDefaultEvictionSettings is set for that).
[[nodiscard]] SortedDocuments Sorted(const std::vector<ConfigDocument>& documents, Faults& faults);

}  // namespace jettison
