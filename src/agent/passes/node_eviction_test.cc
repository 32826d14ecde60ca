#include "agent/passes/node_test_bed.h"

namespace jettison {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::ElementsAre;
using testing::IsEmpty;

class NodeEvictionTest : public NodeTestBed {};

TEST_F(NodeEvictionTest, NoSecondPodBeforeTheFirstOneHasBeenGoneForASecond) {
  Start();
  runtime_.IgnoreStop("c");
  figures_.SetAvailable(99);
  Pass(seconds(3));
  Crossed();
  EXPECT_THAT(runtime_.TakeCommands(), ElementsAre("stop hog/c 1s"));
  clock_.Advance(milliseconds(500));
  Crossed();
  Pass(seconds(8));  // a periodic pass would be due
  EXPECT_THAT(runtime_.TakeCommands(), ElementsAre("kill hog/c", "remove hog"));
  EXPECT_EQ(walks_.started, 1) << "the clean-up asks for a full pass";
  EXPECT_THAT(runtime_.TakeCommands(), IsEmpty()) << "the kubelet would wait for the clean-up";
  Pass(milliseconds(999));
  Crossed();
  EXPECT_THAT(runtime_.TakeCommands(), IsEmpty());
  Pass(milliseconds(1));
  EXPECT_THAT(runtime_.TakeCommands(), ElementsAre("stop idle/c 1s"))
      << "the pressure continues, and memory does not wait for the walk";
}

TEST_F(NodeEvictionTest, ASecondPodGoesWhenTheFirstIsNotGoneAfterThirtySeconds) {
  Start();
  runtime_.IgnoreStop("c");
  runtime_.IgnoreKill("c");
  figures_.SetAvailable(99);
  Pass(seconds(3));
  Crossed();
  for (int i = 0; i < 29; ++i) {
    Pass(seconds(1));
    Measure();
    clock_.Advance(milliseconds(1));
    Crossed();
  }
  const std::vector<std::string> commands = runtime_.TakeCommands();
  EXPECT_THAT(commands, testing::Each(testing::AnyOf("stop hog/c 1s", "kill hog/c")));
  EXPECT_GT(commands.size(), 4U) << "it is killed again and again";
  Pass(seconds(1));
  Measure();
  EXPECT_THAT(runtime_.TakeCommands(), testing::Contains("stop idle/c 1s"));
  const auto report = node_->MakeSnapshot().last_report;
  ASSERT_EQ(report->survivors.size(), 1U);
  EXPECT_EQ(report->survivors[0].pod_uid, "hog");
  EXPECT_GT(report->survivors[0].kills, 4);
  EXPECT_THAT(lines_,
              testing::Contains(testing::HasSubstr("is still alive although it was killed")));
}

TEST_F(NodeEvictionTest, WhatPassesOnlyRepeatIsLoggedOnceAndCounted) {
  Start();
  runtime_.IgnoreStop("c");
  runtime_.IgnoreKill("c");
  figures_.SetAvailable(99);
  for (int i = 0; i < 80; ++i) {  // both pods are evicted, and live on
    Pass(seconds(1));
    Measure();
    Crossed();
  }
  const std::uint64_t events = events_.count();
  lines_.clear();
  const auto cross = [&](int times) {
    for (int i = 0; i < times; ++i) {
      clock_.Advance(milliseconds(10));
      Crossed();
    }
  };
  cross(500);
  EXPECT_LE(lines_.size(), 12U) << testing::PrintToString(lines_);
  EXPECT_LE(events_.count() - events, 2U);
  cross(1000);
  EXPECT_LE(lines_.size(), 36U) << testing::PrintToString(lines_);
}

TEST_F(NodeEvictionTest, AHardThresholdShortensASoftEvictionThatIsUnderWay) {
  Start();
  runtime_.IgnoreStop("c");
  figures_.SetAvailable(150);
  Pass(seconds(10));
  Measure();
  Pass(seconds(60));
  Measure();
  EXPECT_THAT(runtime_.TakeCommands(), ElementsAre("stop hog/c 20s"));
  Pass(seconds(2));
  EXPECT_THAT(runtime_.TakeCommands(), IsEmpty()) << "the agent waits for the soft eviction";
  figures_.SetAvailable(99);
  Pass(seconds(2));
  EXPECT_THAT(runtime_.TakeCommands(), ElementsAre("stop hog/c 1s")) << "without notification";
}

}  // namespace
}  // namespace jettison
