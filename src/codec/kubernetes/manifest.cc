#include "codec/kubernetes/manifest.h"

#include <algorithm>

#include "core/model/pod.h"
#include "core/model/pod_resources.h"
#include "core/text/number.h"

namespace jettison::kube_json {
namespace {

constexpr std::int64_t kGracePeriodSeconds = 30;

void RequestWhatIsLimited(ResourceRequirements& resources) {
  for (const auto& [name, limit] : resources.limits) resources.requests.try_emplace(name, limit);
}

// A pod-level request that is not given is what the containers ask for together, and without that
// the pod-level limit. Huge pages cannot be overcommitted: their request is always the limit.
void DefaultPodLevelRequests(Pod& pod) {
  if (!HasPodLevelResources(pod)) return;
  for (std::string_view name : {std::string_view("cpu"), kMemoryResource}) {
    auto sum = SumOfContainers(pod, &ResourceRequirements::requests, name);
    if (sum) pod.resources->requests.try_emplace(std::string(name), *sum);
  }
  for (const auto& [name, limit] : pod.resources->limits) {
    if (MayStandAtPodLevel(name)) pod.resources->requests.try_emplace(name, limit);
  }
}

void DefaultContainer(Container& container) {
  RequestWhatIsLimited(container.resources);
  if (!container.image_pull_policy && !container.image.empty()) {
    container.image_pull_policy = DefaultPullPolicy(container.image);
  }
}

void DefaultSource(Volume& volume) {
  const auto* other = std::get_if<OtherVolumeSource>(&volume.source);
  if (other != nullptr && other->kind.empty()) volume.source = EmptyDirSource{};
}

}  // namespace

void ApplyPodDefaults(Pod& pod) {
  if (!pod.termination_grace_period_seconds) {
    pod.termination_grace_period_seconds = kGracePeriodSeconds;
  }
  for (Container& container : pod.init_containers) DefaultContainer(container);
  for (Container& container : pod.containers) DefaultContainer(container);
  DefaultPodLevelRequests(pod);
  for (Volume& volume : pod.volumes) DefaultSource(volume);
  if (!pod.priority) pod.priority = PriorityOfClass(pod.priority_class_name);
}

namespace {

bool IsLower(char c) {
  return c >= 'a' && c <= 'z';
}
bool IsUpper(char c) {
  return c >= 'A' && c <= 'Z';
}
bool IsLowerOrDigit(char c) {
  return IsLower(c) || IsDigit(c);
}

// One label of any length.
bool IsLabelText(std::string_view text) {
  return !text.empty() && IsLowerOrDigit(text.front()) && IsLowerOrDigit(text.back()) &&
         std::all_of(text.begin(), text.end(),
                     [](char c) { return IsLowerOrDigit(c) || c == '-'; });
}

}  // namespace

bool IsDnsLabel(std::string_view name) {
  return name.size() <= 63 && IsLabelText(name);
}

bool IsDnsSubdomain(std::string_view name) {
  if (name.size() > 253) return false;
  for (std::size_t dot = name.find('.'); dot != std::string_view::npos; dot = name.find('.')) {
    if (!IsLabelText(name.substr(0, dot))) return false;
    name.remove_prefix(dot + 1);
  }
  return IsLabelText(name);
}

bool IsUid(std::string_view uid) {
  const auto is_letter_or_digit = [](char c) { return IsLowerOrDigit(c) || IsUpper(c); };
  return !uid.empty() && uid.size() <= 128 && is_letter_or_digit(uid.front()) &&
         std::all_of(uid.begin(), uid.end(), [&](char c) {
           return is_letter_or_digit(c) || c == '-' || c == '_' || c == '.';
         });
}

}  // namespace jettison::kube_json
