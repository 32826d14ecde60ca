#include "core/pods/pod_kind.h"

#include <string_view>

#include "core/model/priority.h"

namespace jettison {
namespace {
constexpr std::string_view kConfigSource = "kubernetes.io/config.source";
constexpr std::string_view kConfigMirror = "kubernetes.io/config.mirror";
constexpr std::string_view kApiServer = "api";
}  // namespace

bool IsStatic(const Pod& pod) {
  const auto source = pod.annotations.find(kConfigSource);
  return source != pod.annotations.end() && source->second != kApiServer;
}

bool IsMirror(const Pod& pod) {
  return pod.annotations.find(kConfigMirror) != pod.annotations.end();
}

bool IsCriticalByPriority(const Pod& pod) {
  return pod.priority && *pod.priority >= kSystemCriticalPriority;
}

bool IsCritical(const Pod& pod, Profile profile) {
  switch (profile) {
    case Profile::kKubelet: return IsStatic(pod) || IsMirror(pod) || IsCriticalByPriority(pod);
    case Profile::kStandalone: return IsCriticalByPriority(pod);
  }
  __builtin_unreachable();
}

bool IsNodeCritical(const Pod& pod) {
  return IsCritical(pod, Profile::kKubelet) && pod.priority_class_name == kSystemNodeCritical;
}

}  // namespace jettison
