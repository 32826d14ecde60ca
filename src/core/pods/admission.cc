#include "core/pods/admission.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "core/pods/pod_kind.h"

namespace jettison {

bool Tolerates(const Toleration& toleration, NodeConditionType type) {
  if (!toleration.effect.empty() && toleration.effect != "NoSchedule") return false;
  if (!toleration.key.empty() && toleration.key != TaintOf(type)) return false;
  if (toleration.op.empty() || toleration.op == "Equal") return toleration.value.empty();
  return toleration.op == "Exists";
}

bool ToleratesMemoryPressure(const Pod& pod) {
  return std::ranges::any_of(pod.tolerations, [](const Toleration& toleration) {
    return Tolerates(toleration, NodeConditionType::kMemoryPressure);
  });
}

namespace {

// The names in alphabetical order, with that between.
std::string NamesOf(NodeConditions conditions, std::string_view between) {
  std::string names;
  for (NodeConditionType type : kAllNodeConditions) {
    if (!conditions.Has(type)) continue;
    if (!names.empty()) names += between;
    names += NameOf(type);
  }
  return names;
}

}  // namespace

AdmissionAnswer Admit(const Pod& pod, NodeConditions conditions, Profile profile) {
  if (conditions.Empty() || IsCritical(pod, profile)) return {};
  NodeConditions memory_alone;
  memory_alone.Set(NodeConditionType::kMemoryPressure);
  if (conditions == memory_alone &&
      (QosClassOf(pod) != QosClass::kBestEffort || ToleratesMemoryPressure(pod))) {
    return {};
  }
  return {.admit = false,
          .reason = "Evicted",
          .message = fmt::format("The node had condition: [{}]. ", NamesOf(conditions, " ")),
          .refused_for = NamesOf(conditions, ", ")};
}

std::optional<std::size_t> NextToComeBack(std::span<const WaitingPod> waiting) {
  if (waiting.empty()) return std::nullopt;
  const std::int32_t highest =
      std::ranges::max_element(waiting, {}, &WaitingPod::priority)->priority;
  std::optional<std::size_t> next;
  for (std::size_t i = 0; i < waiting.size(); ++i) {
    const WaitingPod& pod = waiting[i];
    if (pod.priority != highest || !pod.admitted) continue;
    if (!next || std::tie(pod.due, pod.name) < std::tie(waiting[*next].due, waiting[*next].name)) {
      next = i;
    }
  }
  return next;
}

}  // namespace jettison
