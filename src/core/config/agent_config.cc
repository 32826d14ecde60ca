#include "core/config/agent_config.h"

namespace jettison {

std::string_view NameOf(SourceKind source) {
  switch (source) {
    case SourceKind::kManifests: return "manifests";
    case SourceKind::kKubernetes: return "kubernetes";
  }
  __builtin_unreachable();
}

std::string_view NameOf(JobEnding ending) {
  switch (ending) {
    case JobEnding::kKill: return "kill";
    case JobEnding::kTerminate: return "terminate";
  }
  __builtin_unreachable();
}

std::string_view NameOf(RuntimeKind kind) {
  switch (kind) {
    case RuntimeKind::kProcess: return "process";
    case RuntimeKind::kCri: return "cri";
  }
  return "";
}

std::string_view NameOf(AdoptPolicy policy) {
  switch (policy) {
    case AdoptPolicy::kNone: return "none";
    case AdoptPolicy::kObserve: return "observe";
    case AdoptPolicy::kEvict: return "evict";
  }
  __builtin_unreachable();
}

}  // namespace jettison
