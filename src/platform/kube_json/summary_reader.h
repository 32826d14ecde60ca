#pragma once

#include "model/summary.h"
#include "units/result.h"

namespace simdjson::dom {
class element;
}

namespace jettison {

// Reads a stats summary (the kubelet's /stats/summary, v1alpha1) from a parsed JSON document into
// `into`, whose former content is replaced while its memory is used again. Fields that eviction
// does not read are passed over unseen. A field that is missing or null is absent; so is a time of
// null, Go's zero time.
//
// Fails with kInvalidArgument and the path of the first value that cannot be understood
// ("pods[3].memory.workingSetBytes: must be a whole number, 0 or more"); `into` is then incomplete.
[[nodiscard]] Result<void> ReadSummary(simdjson::dom::element document, Summary& into);

}  // namespace jettison
