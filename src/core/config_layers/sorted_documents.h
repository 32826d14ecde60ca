#pragma once

#include <optional>
#include <vector>

#include "core/config_layers/config_document.h"
#include "core/model/fault.h"

namespace jettison {

// The documents of a configuration by kind, with the drop-ins merged over them.
struct SortedDocuments {
  std::optional<ConfigDocument> kubelet;   // absent: there is no such document
  std::optional<ConfigDocument> jettison;  // the same
};

// `documents` are in order of precedence, the drop-ins last. A kind may occur once outside of
// drop-ins, and once in each drop-in. A document of an unknown kind, or a second one of a kind, is
// a fault and is left out. Another version is a fault.
//
// If evictionHard is absent and a drop-in sets thresholds, only these change: the others keep their
// defaults, as in the kubelet (mergeDefaultEvictionSettings is set for that).
[[nodiscard]] SortedDocuments Sorted(const std::vector<ConfigDocument>& documents, Faults& faults);

}  // namespace jettison
