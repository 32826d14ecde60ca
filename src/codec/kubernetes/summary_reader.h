#pragma once

#include <simdjson.h>

#include <string_view>

#include "core/model/summary.h"
#include "core/units/result.h"

namespace jettison {

// Reads a stats summary (the kubelet's /stats/summary, v1alpha1) from a parsed JSON document into
// `into`, whose former content is replaced while its memory is used again. Fields that eviction
// does not read are passed over unseen. A field that is missing or null is absent; so is a time of
// null, Go's zero time. Pressure (memory.psi and io.psi, since 1.33) is read of the node, and of a
// pod its io.psi.some.avg10; a percentage with more than two decimals is rounded to two.
//
// Fails with kInvalidArgument and the path of the first value that cannot be understood
// ("pods[3].memory.workingSetBytes: must be a whole number, 0 or more"); `into` is then incomplete.
[[nodiscard]] Result<void> ReadSummary(simdjson::dom::element document, Summary& into);

// As ReadSummary, from a value of `document`, which is not parsed yet, in one go with checking it,
// which costs a fraction. Returns true where ReadSummary would succeed, with the same content of
// `into`; then the value's document stands behind the value. False says nothing: the summary may
// have a fault, or be written in a way that is not read here (json_element.h). The caller then
// parses it, reads it with ReadSummary, and starts again with its document.
[[nodiscard]] bool ReadStreamedSummary(simdjson::ondemand::value value, std::string_view document,
                                       Summary& into);

}  // namespace jettison
