#include "runtimes/process/unread_readings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "kernel/files/temporary_folder.h"
#include "ports/fakes/fake_cgroups.h"
#include "ports/fakes/fake_clock.h"
#include "ports/fakes/fake_disk_thread.h"

namespace jettison::process {

using namespace kernel;
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::ElementsAre;

class UnreadReadingsTest : public testing::Test {
 protected:
  // Due so long after the start.
  Unread& Enter(const std::string& uid, Duration due) {
    Unread& unread = pods_.all()[uid].state.emplace<Unread>();
    readings_.Enter(unread);
    unread.next_reading = Instant{} + due;
    return unread;
  }
  // Whether the disk is asked for a pod when so much time has passed.
  bool IsAskedAfter(Duration time) {
    clock_.Advance(time);
    readings_.Schedule();
    readiness_->Dispatch();
    return disk_->waiting() > 0;
  }
  // The disk answers after so long; returns the pods that have been read meanwhile.
  std::vector<std::string> Answer(Duration after) {
    clock_.Advance(after);
    (void)disk_->Answer();
    readiness_->Dispatch();
    return std::exchange(read_, {});
  }

  TemporaryFolder folder_;
  FakeCgroups cgroups_;
  FakeClock clock_;
  std::shared_ptr<FakeDiskThread> disk_ = std::make_shared<FakeDiskThread>();
  std::unique_ptr<Readiness> readiness_ = *Readiness::Create();
  RuntimeContext context_{.options = {.root = folder_.path()},
                          .paths = Paths(folder_.path()),
                          .boot_id = "boot",
                          .cgroups = cgroups_,
                          .group_end = cgroups_,
                          .clock = clock_,
                          .readiness = *readiness_,
                          .disk = DiskWork(*readiness_, disk_),
                          .events = {}};
  Pods pods_{context_};
  std::vector<std::string> read_;
  UnreadReadings readings_{context_, pods_,
                           [this](const std::string& uid, const Result<void>&, Unread::Readable) {
                             read_.push_back(uid);
                             readings_.Schedule();
                           }};
};

TEST_F(UnreadReadingsTest, OnePodIsReadAtATimeFirstTheOneThatHasBeenDueForLongest) {
  Enter("a", seconds(3));
  Enter("b", seconds(1));
  Enter("c", seconds(2));
  Enter("d", seconds(60));
  EXPECT_FALSE(IsAskedAfter(milliseconds(999)));
  ASSERT_TRUE(IsAskedAfter(seconds(4)));
  for (const char* const uid : {"b", "c", "a"}) {
    EXPECT_TRUE(IsAskedAfter(milliseconds(0)));
    EXPECT_EQ(disk_->waiting(), 1U);
    EXPECT_TRUE(readings_.IsReading(uid));
    EXPECT_THAT(Answer(milliseconds(0)), ElementsAre(uid));
    EXPECT_FALSE(readings_.IsReading(uid));
    readiness_->Dispatch();
  }
  EXPECT_EQ(disk_->waiting(), 0U);
}

TEST_F(UnreadReadingsTest, ThePauseOfAPodDoublesTo30Seconds) {
  Enter("a", seconds(1));
  ASSERT_TRUE(IsAskedAfter(seconds(1)));
  for (const int pause : {2, 4, 8, 16, 30, 30}) {
    EXPECT_THAT(Answer(milliseconds(1)), ElementsAre("a"));
    EXPECT_FALSE(IsAskedAfter(seconds(pause) - milliseconds(2))) << pause;
    EXPECT_TRUE(IsAskedAfter(milliseconds(1))) << pause;
  }
}

TEST_F(UnreadReadingsTest, APodPausesTenTimesAsLongAsItsReadingTook) {
  Enter("a", seconds(1));
  ASSERT_TRUE(IsAskedAfter(seconds(1)));
  EXPECT_THAT(Answer(seconds(20)), ElementsAre("a"));
  EXPECT_FALSE(IsAskedAfter(seconds(199)));
  EXPECT_TRUE(IsAskedAfter(seconds(1)));
}

TEST_F(UnreadReadingsTest, AReadingDuringWhichTheMachineWasSuspendedCostsAnHourAtMost) {
  Enter("a", seconds(1));
  ASSERT_TRUE(IsAskedAfter(seconds(1)));
  EXPECT_THAT(Answer(hours(8)), ElementsAre("a"));
  EXPECT_FALSE(IsAskedAfter(hours(1) - seconds(1)));
  EXPECT_TRUE(IsAskedAfter(seconds(1)));
}

TEST_F(UnreadReadingsTest, BetweenTwoReadingsTheThreadIsFreeForAsLongAsTheFirstTook) {
  for (const auto& [took, rest] :
       std::map<Duration, Duration>{{seconds(5), seconds(5)}, {hours(1), seconds(30)}}) {
    const Duration now = clock_.Now().time_since_epoch();
    Enter("a", now);
    Enter("b", now + milliseconds(1));
    ASSERT_TRUE(IsAskedAfter(milliseconds(1)));
    EXPECT_THAT(Answer(took), ElementsAre("a"));
    EXPECT_FALSE(IsAskedAfter(rest - milliseconds(1)));
    EXPECT_TRUE(IsAskedAfter(milliseconds(1)));
    EXPECT_THAT(Answer(milliseconds(0)), ElementsAre("b"));
  }
}

TEST_F(UnreadReadingsTest, APodThatEndsOrIsMovedIsNotRead) {
  Enter("a", seconds(0)).known = Unread::Known::kEnding;
  Enter("b", seconds(0)).is_moving = true;
  EXPECT_FALSE(IsAskedAfter(seconds(100)));
  pods_.all().at("a").unread()->known = Unread::Known::kHere;
  EXPECT_TRUE(IsAskedAfter(seconds(0)));
  EXPECT_THAT(Answer(seconds(0)), ElementsAre("a"));
}

TEST_F(UnreadReadingsTest, APodThatIsGoneWhenTheDiskAnswersHoldsNothingUp) {
  Enter("a", seconds(0));
  ASSERT_TRUE(IsAskedAfter(seconds(0)));
  Enter("b", seconds(0));
  EXPECT_TRUE(IsAskedAfter(seconds(0)));
  EXPECT_EQ(disk_->waiting(), 1U);
  pods_.all().erase("a");
  EXPECT_THAT(Answer(seconds(0)), ElementsAre("a"));
  readiness_->Dispatch();
  EXPECT_TRUE(readings_.IsReading("b"));
}

}  // namespace
}  // namespace jettison::process
