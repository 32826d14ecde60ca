#include "agent/log/event_log.h"

namespace jettison {

void EventLog::Add(Instant at, std::string pod, Event event, std::string refused_for) {
  const std::initializer_list<LogField> fields = {
      {"object", pod.empty() ? std::string_view("node") : std::string_view(pod)},
      {"reason", event.reason},
      {"message", event.message}};
  if (event.type == EventType::kWarning) {
    log_.Warn("event", fields);
  } else {
    log_.Info("event", fields);
  }
  if (events_.size() == capacity_) events_.pop_front();
  const EventCounts::Count equal = counts_.Add(at, pod, event);
  events_.push_back({.sequence = ++count_,
                     .at = at,
                     .pod = std::move(pod),
                     .event = std::move(event),
                     .times = equal.times,
                     .first_at = equal.first,
                     .refused_for = std::move(refused_for)});
}

}  // namespace jettison
