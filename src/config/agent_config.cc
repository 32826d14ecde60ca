#include "config/agent_config.h"

namespace jettison {

std::string_view NameOf(RuntimeKind kind) {
  switch (kind) {
    case RuntimeKind::kProcess: return "process";
    case RuntimeKind::kCri: return "cri";
  }
  return "";
}

}  // namespace jettison
