#include "machine/log/event_log.h"

#include <algorithm>
#include <tuple>
#include <utility>

namespace jettison {
namespace {

bool IsEviction(const LoggedEvent& logged) {
  return TellsOfEviction(logged.event.reason, logged.refused_for);
}

bool AreEqual(const LoggedEvent& a, const LoggedEvent& b) {
  const auto key = [](const LoggedEvent& logged) {
    const Event& event = logged.event;
    return std::tie(logged.pod, event.object, event.type, event.reason, event.message);
  };
  return key(a) == key(b);
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
  LoggedEvent logged{.sequence = ++count_,
                     .at = at,
                     .pod = std::move(pod),
                     .event = std::move(event),
                     .first_at = at,
                     .refused_for = std::move(refused_for)};
  const auto equal = std::ranges::find_if(
      events_, [&logged](const LoggedEvent& other) { return AreEqual(other, logged); });
  if (equal != events_.end()) {
    logged.times += equal->times;
    logged.first_at = equal->first_at;
    events_.erase(equal);
  }
  if (events_.size() == capacity_) ForgetOne();
  events_.push_back(std::move(logged));
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
