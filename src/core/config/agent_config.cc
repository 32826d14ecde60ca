#include "core/config/agent_config.h"

namespace jettison {

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
