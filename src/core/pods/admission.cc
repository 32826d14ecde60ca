#include "core/pods/admission.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <limits>
#include <tuple>

#include "core/pods/pod_kind.h"

namespace jettison {

namespace {

constexpr Nanos kNanosPerMilli = 1'000'000;

Nanos RequestOf(const Pod& pod, std::string_view resource) {
  Quantity request;
  const Quantity* own = pod.resources && MayStandAtPodLevel(resource)
                            ? FindResource(pod.resources->requests, resource)
                            : nullptr;
  if (own != nullptr) {
    request = *own;
  } else if (const auto sum = SumOfContainers(pod, &ResourceRequirements::requests, resource)) {
    request = *sum;
  }
  if (const Quantity* overhead = FindResource(pod.overhead, resource)) request += *overhead;
  return request.ToNanos();
}

SharedAmounts Sum(const SharedAmounts& a, const SharedAmounts& b) {
  SharedAmounts sum;
  std::transform(a.begin(), a.end(), b.begin(), sum.begin(), std::plus<>());
  return sum;
}

std::optional<Shortage> ShortageOf(const SharedAmounts& requests, const SharedAmounts& used,
                                   const SharedAmounts& allocatable) {
  for (std::size_t i = 0; i < requests.size(); ++i) {
    if (requests[i] > 0 && requests[i] > allocatable[i] - used[i]) {
      return Shortage{
          .resource = i, .requested = requests[i], .used = used[i], .capacity = allocatable[i]};
    }
  }
  return std::nullopt;
}

bool GivesWay(const Occupant& occupant, std::int32_t priority) {
  return !occupant.ending && !occupant.stays && occupant.priority < priority;
}

// The pods that can be told to give way, the highest priority first.
std::vector<std::size_t> Outranked(std::int32_t priority, std::span<const Occupant> occupants) {
  std::vector<std::size_t> outranked;
  for (std::size_t i = 0; i < occupants.size(); ++i) {
    if (GivesWay(occupants[i], priority)) outranked.push_back(i);
  }
  std::ranges::stable_sort(outranked, [&](std::size_t a, std::size_t b) {
    return occupants[a].priority > occupants[b].priority;
  });
  return outranked;
}

// The kubelet counts CPU in thousandths, everything else in units.
std::int64_t Counted(Nanos amount, std::size_t resource) {
  const Nanos unit = kSharedResources[resource] == "cpu" ? kNanosPerMilli : kNanosPerUnit;
  const Nanos counted = (amount + unit - 1) / unit;
  constexpr Nanos kMost = std::numeric_limits<std::int64_t>::max();
  return static_cast<std::int64_t>(std::min(counted, kMost));
}

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

bool ToleratesMemoryPressure(const Pod& pod) {
  return std::ranges::any_of(pod.tolerations, [](const Toleration& toleration) {
    if (!toleration.effect.empty() && toleration.effect != "NoSchedule") return false;
    if (!toleration.key.empty() &&
        toleration.key != RowOf(NodeConditionType::kMemoryPressure).taint) {
      return false;
    }
    if (toleration.op.empty() || toleration.op == "Equal") return toleration.value.empty();
    return toleration.op == "Exists";
  });
}

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

SharedAmounts RequestsOf(const Pod& pod) {
  SharedAmounts amounts{};
  std::ranges::transform(kSharedResources, amounts.begin(),
                         [&](std::string_view resource) { return RequestOf(pod, resource); });
  return amounts;
}

std::string Shortage::Reason() const {
  return fmt::format("OutOf{}", kSharedResources[resource]);
}

std::string Shortage::Message() const {
  return fmt::format("Node didn't have enough resource: {}, requested: {}, used: {}, capacity: {}",
                     kSharedResources[resource], Counted(requested, resource),
                     Counted(used, resource), Counted(capacity, resource));
}

Room RoomFor(std::span<const Occupant> occupants, std::int32_t priority,
             const SharedAmounts& requests, const std::optional<SharedAmounts>& allocatable) {
  SharedAmounts now{};
  SharedAmounts staying{};  // without the pods that are ending
  SharedAmounts fixed{};    // without those that can be told to give way, either
  for (const Occupant& occupant : occupants) {
    now = Sum(now, occupant.requests);
    if (!occupant.ending) staying = Sum(staying, occupant.requests);
    if (!occupant.ending && !GivesWay(occupant, priority)) fixed = Sum(fixed, occupant.requests);
  }
  if (!allocatable || !ShortageOf(requests, now, *allocatable)) return {.free = true};
  const auto scarce = ShortageOf(requests, staying, *allocatable);
  if (!scarce) return {};

  Room room;
  room.scarce = scarce->resource;
  room.shortage = ShortageOf(requests, fixed, *allocatable);
  if (room.shortage) return room;
  // Pods that still fit beside the new one stay, the highest priority first.
  for (const std::size_t i : Outranked(priority, occupants)) {
    const SharedAmounts with = Sum(fixed, occupants[i].requests);
    if (ShortageOf(requests, with, *allocatable)) {
      room.give_way.push_back(i);
    } else {
      fixed = with;
    }
  }
  return room;
}

}  // namespace jettison
