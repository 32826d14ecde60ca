#include "machine/log/event_log.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ports/fakes/fake_clock.h"

namespace jettison {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

class EventLogTest : public testing::Test {
 protected:
  static Event Of(const std::string& reason) {
    return {.object = "u", .reason = reason, .message = "m", .annotations = {}};
  }
  [[nodiscard]] std::vector<std::string> Reasons() const {
    std::vector<std::string> reasons;
    for (const LoggedEvent& logged : events_.events()) reasons.push_back(logged.event.reason);
    return reasons;
  }

  FakeClock clock_;
  std::vector<std::string> lines_;
  Log log_{LogFormat::kText, clock_, [this](std::string_view line) { lines_.emplace_back(line); }};
  EventLog events_{log_, 4};
};

TEST_F(EventLogTest, TheOldestGoesButNotAnEviction) {
  for (const char* reason : {"a", "Evicted", "b", "c", "d", "Preempting", "e", "f"}) {
    events_.Add(clock_.Now(), "default/a", Of(reason));
  }
  EXPECT_THAT(Reasons(), ElementsAre("Evicted", "Preempting", "e", "f"));
  EXPECT_EQ(events_.count(), 8U);
}

TEST_F(EventLogTest, ARefusalIsNoEviction) {
  events_.Add(clock_.Now(), "default/a", Of("Evicted"), "MemoryPressure");
  for (int i = 0; i < 4; ++i) events_.Add(clock_.Now(), "default/a", Of("Started"));
  EXPECT_THAT(Reasons(), ElementsAre("Started", "Started", "Started", "Started"));
}

TEST_F(EventLogTest, EvictionsAloneHaveNoMoreRoomThanThereIs) {
  for (int i = 0; i < 40; ++i) events_.Add(clock_.Now(), "default/a", Of("Evicted"));
  EXPECT_THAT(events_.events(), SizeIs(4));
  EXPECT_EQ(events_.events().front().sequence, 37U);
}

TEST_F(EventLogTest, OfALongRowOfEvictionsTheLastStay) {
  EventLog events(log_, 32);
  for (int i = 0; i < 30; ++i) events.Add(clock_.Now(), "default/a", Of("Evicted"));
  for (int i = 0; i < 100; ++i) events.Add(clock_.Now(), "default/a", Of("Started"));
  ASSERT_THAT(events.events(), SizeIs(32));
  EXPECT_EQ(events.events()[0].sequence, 15U);
  EXPECT_EQ(events.events()[15].event.reason, "Evicted");
  EXPECT_EQ(events.events()[16].event.reason, "Started");
}

}  // namespace
}  // namespace jettison
