#pragma once

#include <span>
#include <string_view>

#include "core/thresholds/fields.h"

namespace jettison {

// Every field of KubeletConfiguration v1beta1 (1.36), in alphabetical order.
[[nodiscard]] std::span<const std::string_view> KubeletFieldNames();

// Warns of fields of a KubeletConfiguration that have no effect although their author may expect
// one: misspelt fields, and known fields that Jettison does not use and that differ from the
// kubelet's default. There is no warning of fields that concern only the kubelet itself (its
// server, its certificates, its traffic with an API server).
void WarnOfUnusedFields(const Fields& fields, Faults& warnings);

}  // namespace jettison
