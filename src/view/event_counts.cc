#include "view/event_counts.h"

#include <algorithm>
#include <string_view>

namespace jettison {
namespace {

std::string KeyOf(const std::string& pod, const Event& event) {
  std::string key = pod;
  for (const std::string_view part :
       {std::string_view(event.object), std::string_view(NameOf(event.type)),
        std::string_view(event.reason), std::string_view(event.message)}) {
    key += '\0';
    key += part;
  }
  return key;
}

}  // namespace

EventCounts::Count EventCounts::Add(Instant at, const std::string& pod, const Event& event) {
  const auto [entry, is_new] = entries_.try_emplace(KeyOf(pod, event));
  Entry& counted = entry->second;
  if (is_new) counted.count.first = at;
  ++counted.count.times;
  counted.turn = ++turns_;
  const Count count = counted.count;
  if (entries_.size() > capacity_) ForgetOne();
  return count;
}

void EventCounts::ForgetOne() {
  entries_.erase(
      std::ranges::min_element(entries_, {}, [](const auto& entry) { return entry.second.turn; }));
}

}  // namespace jettison
