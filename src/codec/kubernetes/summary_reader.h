#pragma once

#include "codec/kubernetes/field.h"
#include "core/model/summary.h"

namespace jettison {

// Reads a stats summary (the kubelet's /stats/summary, v1alpha1) into `into`, whose former content
// is replaced. Fields that eviction does not read are passed over. A field that is missing or null
// is absent; so is a time of null, Go's zero time. Pressure (memory.psi and io.psi, since 1.33) is
// read of the node, and of a pod its io.psi.some.avg10; a percentage with more than two decimals is
// rounded to two.
//
// Every value that cannot be understood is a fault of its field
// (`pods[3].memory.workingSetBytes: "-1": must be a whole number, 0 or more`); `into` is then
// incomplete.
void ReadSummary(const kube_json::Field& summary, Summary& into);
// The same of a whole document. kInvalidArgument: these faults, a line each.
[[nodiscard]] Result<void> ReadSummary(const Value& document, Summary& into);

}  // namespace jettison
