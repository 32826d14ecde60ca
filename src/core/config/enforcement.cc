#include "core/config/enforcement.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "core/text/spelling.h"
#include "core/thresholds/paths.h"

namespace jettison {
namespace {

constexpr std::string_view kField = "enforceNodeAllocatable";
constexpr auto kEnforcements = std::to_array<std::string_view>(
    {"pods", "none", "system-reserved", "system-reserved-compressible", "kube-reserved",
     "kube-reserved-compressible"});

bool Has(const std::vector<std::string>& list, std::string_view name) {
  return std::ranges::find(list, name) != list.end();
}

void CheckNames(const Fields& fields, const std::vector<std::string>& named) {
  for (const std::string& name : named) {
    if (std::ranges::find(kEnforcements, name) != kEnforcements.end()) continue;
    fields.Refuse(
        kField, name,
        fmt::format("must be {}{}", Alternatives(kEnforcements), DidYouMean(name, kEnforcements)));
  }
  if (Has(named, "none") && named.size() > 1)
    fields.Refuse(kField, "none", "must be the only entry");
  if (std::ranges::count(named, "pods") > 1) fields.Refuse(kField, "pods", "is listed twice");
}

// A group, with or without the slash at its beginning. (kubelet: ParseCgroupfsToCgroupName)
std::optional<std::string> GroupIn(const Fields& fields, std::string_view key) {
  const auto text = fields.Text(key);
  if (!text || text->empty()) return std::nullopt;
  const std::string path = text->starts_with('/') ? *text : "/" + *text;
  if (const auto fault = FaultOfAbsolutePath(path); !fault.empty()) {
    fields.Refuse(key, *text, std::string(fault));
    return std::nullopt;
  }
  return PlainPath(path).substr(1);
}

// `what`: for example "kube-reserved"; `group_field`: the field with its group.
std::optional<EnforcedReservation> ReadOne(const Fields& fields,
                                           const std::vector<std::string>& named,
                                           std::string_view what, std::string_view group_field) {
  auto group = GroupIn(fields, group_field);
  const std::string compressible = fmt::format("{}-compressible", what);
  const bool all = Has(named, what);
  const bool some = Has(named, compressible);
  if (all && some) fields.Refuse(kField, compressible, fmt::format("excludes {}", what));
  if ((!all && !some) || fields.IsRefused(group_field, group.has_value())) return std::nullopt;
  if (!group || group->empty()) {
    fields.Refuse(kField, std::string(all ? what : compressible),
                  fmt::format("needs a group to enforce it on: set {}", group_field));
    return std::nullopt;
  }
  return EnforcedReservation{.group = *std::move(group), .compressible_only = !all};
}

}  // namespace

void ReadEnforcement(const Fields& fields, NodeReservation& reservation) {
  const auto listed = fields.TextList(kField);
  if (listed) {
    CheckNames(fields, *listed);
    reservation.enforce_pods = Has(*listed, "pods");
  }
  const std::vector<std::string> named = listed.value_or(std::vector<std::string>{"pods"});
  reservation.kube_enforced = ReadOne(fields, named, "kube-reserved", "kubeReservedCgroup");
  reservation.system_enforced = ReadOne(fields, named, "system-reserved", "systemReservedCgroup");
}

}  // namespace jettison
