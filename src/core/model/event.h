#pragma once

#include <map>
#include <string>

#include "core/units/duration.h"

namespace jettison {

enum class EventType : bool { kNormal, kWarning };
[[nodiscard]] constexpr const char* NameOf(EventType type) {
  return type == EventType::kNormal ? "Normal" : "Warning";
}

// Something worth telling an operator, in the kubelet's words.
struct Event {
  std::string object;  // "node", or the UID of the pod it is about
  EventType type = EventType::kNormal;
  std::string reason;
  std::string message;
  std::map<std::string, std::string, std::less<>> annotations;
};

}  // namespace jettison
