#pragma once

#include "codec/kubernetes/field.h"
#include "core/model/summary.h"
#include "core/units/result.h"

namespace jettison {

// Reads a stats summary (the kubelet's /stats/summary, v1alpha1) into `into`, whose former content
// is replaced. Fields that eviction does not read are passed over. A field that is missing or null
// is absent; so is a time of null, Go's zero time. Pressure (memory.psi and io.psi, since 1.33) is
// read of the node, and of a pod its io.psi.some.avg10; a percentage with more than two decimals is
// rounded to two.
//
// Fails with kInvalidArgument and every value that cannot be understood
// (`pods[3].memory.workingSetBytes: "-1": must be a whole number, 0 or more`); `into` is then
// incomplete.
[[nodiscard]] Result<void> ReadSummary(const Value& document, Summary& into);

namespace kube_json {
// The same of a part of a document.
void ReadSummary(const Field& summary, Summary& into);
}  // namespace kube_json

}  // namespace jettison
