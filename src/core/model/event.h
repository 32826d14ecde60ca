#pragma once

#include <map>
#include <string>
#include <string_view>

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

// Whether an event with this reason says that a pod was ended to relieve the node. `refused_for`:
// what admission refused the pod for; an event with that may have the same reason.
[[nodiscard]] inline bool TellsOfEviction(std::string_view reason, std::string_view refused_for) {
  return refused_for.empty() && (reason == "Evicted" || reason == "Preempting");
}

}  // namespace jettison
