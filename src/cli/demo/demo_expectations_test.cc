#include "cli/demo/demo_expectations.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "cli/demo/demo_test_snapshots.h"

namespace jettison {
namespace {

using demo_test::At;
using demo_test::Calm;
using demo_test::Evict;
using demo_test::kMiB;
using demo_test::PodIn;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

struct EvictionStep {
  const char* pod;
  const char* message;
  std::optional<NodeConditionType> pressure;
};

std::vector<EvictionStep> GoodEvictions() {
  return {
      {"leaker", "The node was low on resource: memory. ", NodeConditionType::kMemoryPressure},
      {"filler", "The node was low on resource: ephemeral-storage. ",
       NodeConditionType::kDiskPressure},
      {"scratch", "Usage of EmptyDir volume \"scratch\" exceeds the limit \"16Mi\". ", {}},
      {"forker", "The node was low on resource: pids. ", NodeConditionType::kPidPressure},
  };
}

// Plays evictions one after the other, pressure lasting from the eviction to the clean-up, then
// lets everybody come back.
DemoHistory Play(const std::vector<EvictionStep>& steps) {
  DemoHistory history;
  double seconds = 0;
  Snapshot now = Calm(seconds);
  PodIn(now, "leaker").memory_working_set_bytes = 160 * kMiB;
  PodIn(now, "cache").memory_working_set_bytes = 72 * kMiB;
  const auto record = [&] {
    now.at = At(seconds++);
    history.Record(now);
  };
  record();
  for (const EvictionStep& step : steps) {
    if (step.pressure) now.conditions.Set(*step.pressure);
    Evict(PodIn(now, step.pod), step.message);
    record();
    PodIn(now, step.pod).activity = PodActivity::kWaiting;
    record();
    now.conditions = {};
    record();
  }
  for (PodView& pod : now.pods) pod.activity = PodActivity::kRunning;
  record();
  return history;
}

std::vector<std::string> Broken(const DemoHistory& history) {
  std::vector<std::string> broken;
  for (const Expectation& expectation : CheckDemo(history)) {
    if (!expectation.held) broken.push_back(expectation.what);
  }
  return broken;
}

TEST(DemoExpectations, HoldWhenTheRightPodsGoForTheRightReasons) {
  EXPECT_THAT(Broken(Play(GoodEvictions())), IsEmpty());
}

TEST(DemoExpectations, TheOrderOfEvictionsMatters) {
  auto steps = GoodEvictions();
  std::swap(steps[1], steps[2]);
  EXPECT_THAT(Broken(Play(steps)), ElementsAre(HasSubstr("in this order")));
}

TEST(DemoExpectations, AnInnocentThatWasEvictedIsFound) {
  auto steps = GoodEvictions();
  steps.push_back({"web", "The node was low on resource: memory. ", {}});
  EXPECT_THAT(Broken(Play(steps)),
              ElementsAre(HasSubstr("no other pod"), HasSubstr("web was never touched")));
}

TEST(DemoExpectations, AWrongReasonIsFound) {
  auto steps = GoodEvictions();
  steps[1].message = "The node was low on resource: inodes. ";
  EXPECT_THAT(Broken(Play(steps)), ElementsAre(HasSubstr("filler was evicted for disk space")));
}

TEST(DemoExpectations, AMissingConditionIsFound) {
  auto steps = GoodEvictions();
  steps[3].pressure.reset();
  EXPECT_THAT(Broken(Play(steps)),
              ElementsAre(HasSubstr("PIDPressure was set"), HasSubstr("each pressure began once")));
}

TEST(DemoExpectations, APodThatCameBackUnderPressureIsFound) {
  DemoHistory history = Play(GoodEvictions());
  history.returns.front().under_pressure = true;
  EXPECT_THAT(Broken(history), ElementsAre(HasSubstr("came back")));
}

TEST(DemoExpectations, AnOomKillIsFound) {
  DemoHistory history = Play(GoodEvictions());
  history.pods["leaker"].oom_killed = true;
  EXPECT_THAT(Broken(history), ElementsAre(HasSubstr("OOM killer")));
}

TEST(DemoExpectations, NothingHoldsOnANodeThatNeverRan) {
  const auto expectations = CheckDemo({});
  EXPECT_TRUE(std::none_of(expectations.begin(), expectations.end(),
                           [](const Expectation& each) { return each.held; }));
}

TEST(DemoExpectations, AreToldWithWhatBelongsToThemAndNothingIsCutInAFile) {
  constexpr std::size_t kAnyWidth = 1U << 30;
  const std::string text = ChecklistText(Play(GoodEvictions()), kAnyWidth, {false, false});
  EXPECT_THAT(text, HasSubstr(" ok  leaker was evicted for memory, after 1.0 s: The node was low"));
  EXPECT_THAT(text, HasSubstr("\n\n 16 of 16 expectations held, in 13.0 s.\n"));
  EXPECT_THAT(ChecklistText({}, kAnyWidth, {false, false}), HasSubstr(" NO  "));
}

}  // namespace
}  // namespace jettison
