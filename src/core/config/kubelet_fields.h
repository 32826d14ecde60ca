#pragma once

#include <span>
#include <string_view>

#include "core/thresholds/fields.h"

namespace jettison {

// Every field of KubeletConfiguration v1beta1 (1.36), in alphabetical order.
[[nodiscard]] std::span<const std::string_view> KubeletFieldNames();

// Warns of what the author of a KubeletConfiguration may expect an effect from and gets none:
// misspelt fields, and real ones that Jettison does not act on and that say something else than
// the kubelet's default. Fields that only concern the kubelet's own business (its server, its
// certificates, its traffic with an API server) pass in silence.
void WarnOfUnusedFields(const Fields& fields, Faults& warnings);

}  // namespace jettison
