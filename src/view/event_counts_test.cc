#include <gtest/gtest.h>

#include "view/histories.h"

namespace jettison {
namespace {

using std::chrono::seconds;

constexpr Instant kStart = Instant(std::chrono::hours(1));

Event BackOff(const std::string& message = "Back-off restarting failed container") {
  return {.object = "uid", .type = EventType::kWarning, .reason = "BackOff", .message = message};
}

TEST(EventCounts, EqualEventsAreCountedFromTheFirst) {
  EventCounts counts;
  EXPECT_EQ(counts.Add(kStart, "default/a", BackOff()).times, 1);
  const auto second = counts.Add(kStart + seconds(9), "default/a", BackOff());
  EXPECT_EQ(second.times, 2);
  EXPECT_EQ(second.first, kStart);
}

TEST(EventCounts, ThoseThatDifferInAnythingButTimeAreOthers) {
  EventCounts counts;
  counts.Add(kStart, "default/a", BackOff());
  Event normal = BackOff();
  normal.type = EventType::kNormal;
  Event other_pod = BackOff();
  other_pod.object = "another uid";
  EXPECT_EQ(counts.Add(kStart, "default/b", BackOff()).times, 1);
  EXPECT_EQ(counts.Add(kStart, "default/a", BackOff("another")).times, 1);
  EXPECT_EQ(counts.Add(kStart, "default/a", normal).times, 1);
  EXPECT_EQ(counts.Add(kStart, "default/a", other_pod).times, 1);
}

TEST(EventCounts, OfTooManyTheOneThatIsLongestAgoIsForgotten) {
  EventCounts counts(2);
  counts.Add(kStart, "", BackOff("1"));
  counts.Add(kStart, "", BackOff("2"));
  counts.Add(kStart, "", BackOff("1"));
  counts.Add(kStart, "", BackOff("3"));
  EXPECT_EQ(counts.Add(kStart, "", BackOff("1")).times, 3);
  EXPECT_EQ(counts.Add(kStart, "", BackOff("2")).times, 1);
}

}  // namespace
}  // namespace jettison
