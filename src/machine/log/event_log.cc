#include "machine/log/event_log.h"

#include <algorithm>
#include <utility>

namespace jettison {
namespace {

bool IsEviction(const LoggedEvent& logged) {
  return TellsOfEviction(logged.event.reason, logged.refused_for);
}

}  // namespace

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
  if (events_.size() == capacity_) ForgetOne();
  const EventCounts::Count equal = counts_.Add(at, pod, event);
  events_.push_back({.sequence = ++count_,
                     .at = at,
                     .pod = std::move(pod),
                     .event = std::move(event),
                     .times = equal.times,
                     .first_at = equal.first,
                     .refused_for = std::move(refused_for)});
}

// Forgets the oldest event that is not one of the last evictions.
void EventLog::ForgetOne() {
  const auto evictions = std::ranges::count_if(events_, IsEviction);
  auto oldest = events_.begin();
  if (static_cast<std::size_t>(evictions) <= kPastEvictions) {
    oldest = std::ranges::find_if_not(events_, IsEviction);
  }
  events_.erase(oldest == events_.end() ? events_.begin() : oldest);
}

}  // namespace jettison
