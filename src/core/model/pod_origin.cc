#include "core/model/pod_origin.h"

namespace jettison {

std::string_view NameOf(PodOrigin source) {
  switch (source) {
    case PodOrigin::kOwn: return "own";
    case PodOrigin::kRuntime: return "runtime";
    case PodOrigin::kKubernetes: return "kubernetes";
  }
  __builtin_unreachable();
}

std::string_view NameOf(Protection protection) {
  switch (protection) {
    case Protection::kNone: return "none";
    case Protection::kCritical: return "critical";
    case Protection::kObserved: return "observed";
    case Protection::kSpared: return "spared";
  }
  __builtin_unreachable();
}

}  // namespace jettison
