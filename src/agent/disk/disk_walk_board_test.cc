#include "agent/disk/disk_walk_board.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>

namespace jettison {
namespace {

using std::chrono::seconds;
using testing::ElementsAre;
using testing::IsEmpty;

class DiskWalkBoardTest : public testing::Test {
 protected:
  void Begin(const std::vector<std::string>& pods) {
    std::vector<DiskTask> tasks;
    for (const std::string& uid : pods) tasks.push_back({.uid = uid, .disk = {}});
    board_.Begin(std::move(tasks));
  }
  // The pod that `walker` takes; empty: none.
  std::string Take(std::size_t walker) {
    const auto task = board_.Take(walker, now_);
    return task ? task->uid : "";
  }
  void Put(std::size_t walker) {
    PodDiskUse use;
    use.measured_at = now_;
    board_.Put(walker, use);
  }
  // In the order of their UIDs.
  std::vector<std::string> Result() {
    std::vector<std::string> pods;
    const auto result = board_.TakeResult();
    if (!result) return {"none yet"};
    for (const auto& [uid, use] : *result) pods.push_back(uid);
    std::ranges::sort(pods);
    return pods;
  }

  Instant now_{std::chrono::hours(1)};
  DiskWalkBoard board_;
};

TEST_F(DiskWalkBoardTest, AWalkIsOverWhenEveryPodWasTakenAndPutAndIsToldOnce) {
  EXPECT_THAT(Result(), ElementsAre("none yet")) << "nothing has begun";
  Begin({"a", "b"});
  for (const char* pod : {"a", "b"}) {
    EXPECT_EQ(Take(0), pod);
    EXPECT_THAT(Result(), ElementsAre("none yet"));
    Put(0);
  }
  EXPECT_EQ(Take(0), "");
  EXPECT_FALSE(board_.IsAtWork(0));
  EXPECT_THAT(Result(), ElementsAre("a", "b"));
  EXPECT_THAT(Result(), ElementsAre("none yet"));
}

TEST_F(DiskWalkBoardTest, PodsThatWereNeverMeasuredAreFirstThenThoseThatGrewMost) {
  const auto walk = [this](std::map<std::string, std::uint64_t> sizes) {
    std::vector<std::string> pods;
    std::vector<std::string> order;
    for (const auto& [uid, bytes] : sizes) pods.push_back(uid);
    Begin(pods);
    for (std::string pod = Take(0); !pod.empty(); pod = Take(0)) {
      order.push_back(pod);
      PodDiskUse use;
      use.total.used_bytes = sizes.at(pod);
      board_.Put(0, use);
    }
    EXPECT_EQ(Result().size(), sizes.size());
    return order;
  };
  EXPECT_THAT(walk({{"b", 900}, {"a", 100}, {"c", 1}}), ElementsAre("a", "b", "c"));
  EXPECT_THAT(walk({{"b", 901}, {"a", 200}, {"c", 1}}), ElementsAre("a", "b", "c"));
  EXPECT_THAT(walk({{"b", 999}, {"a", 200}, {"c", 1}, {"new", 1}}),
              ElementsAre("new", "a", "b", "c"));
  EXPECT_THAT(walk({{"b", 999}, {"a", 200}, {"c", 1}, {"new", 1}}),
              ElementsAre("b", "a", "c", "new"));
}

TEST_F(DiskWalkBoardTest, AnotherGoesOnWhereAPodKeepsTheFirstAndThatOneStaysAtIt) {
  Begin({"a", "dead", "z"});
  EXPECT_EQ(Take(0), "a");
  Put(0);
  EXPECT_EQ(Take(0), "dead");
  EXPECT_EQ(board_.BusySince(), now_);
  EXPECT_FALSE(board_.GiveUp(now_ - seconds(1))) << "it has just begun";
  now_ += seconds(2);
  EXPECT_TRUE(board_.GiveUp(now_ - seconds(1)));
  EXPECT_TRUE(board_.IsGivenUp(0));
  EXPECT_THAT(board_.Late(), ElementsAre("dead"));
  EXPECT_EQ(Take(1), "z");
  Put(1);
  EXPECT_EQ(Take(1), "");
  EXPECT_THAT(Result(), ElementsAre("a", "z"));

  Begin({"a", "dead", "z"});
  EXPECT_EQ(Take(1), "a") << "no other walker takes the pod on which the first one waits";
  EXPECT_EQ(Take(1), "z");
  EXPECT_EQ(Take(1), "");
  Put(0);
  EXPECT_EQ(Take(0), "") << "it returns, and is idle";
  EXPECT_FALSE(board_.IsAtWork(0));
  EXPECT_TRUE(board_.Known().contains("dead"));
}

TEST_F(DiskWalkBoardTest, WhatWasFoundOfALatePodCountsWhereItIsNoLessThanWhatWasKnown) {
  const auto so_far = [](std::uint64_t inodes) {
    PodDiskUse use;
    if (inodes > 0) use.total = {.used_bytes = 4096 * inodes, .inodes_used = inodes};
    use.partial = true;
    return use;
  };
  Begin({"late"});
  EXPECT_EQ(Take(0), "late");
  board_.PutSoFar(0, so_far(5));
  EXPECT_TRUE(board_.Known().empty()) << "it is not late yet";
  (void)board_.GiveUp(now_);
  board_.PutSoFar(0, so_far(0));
  EXPECT_TRUE(board_.Known().empty()) << "nothing was measured";
  for (const auto& [found, known] : {std::pair{70U, 70U}, {30U, 70U}, {80U, 80U}}) {
    board_.PutSoFar(0, so_far(found));
    EXPECT_EQ(board_.Known().at("late").total.inodes_used, known);
  }
  Put(0);
  EXPECT_FALSE(board_.Known().at("late").partial) << "it is known in the end";
  board_.PutSoFar(0, so_far(90));
  EXPECT_FALSE(board_.Known().at("late").partial);
}

TEST_F(DiskWalkBoardTest, WhatCouldNotBeReadForAMomentMakesNoPodSmaller) {
  const auto measure = [&](std::optional<std::uint64_t> bytes, bool partial) {
    Begin({"a"});
    EXPECT_EQ(Take(0), "a");
    PodDiskUse use{.measured_at = now_, .partial = partial};
    use.total = {.used_bytes = bytes, .inodes_used = bytes};
    board_.Put(0, use);
    EXPECT_EQ(Take(0), "");
    const auto result = board_.TakeResult();
    return result && result->contains("a") ? result->at("a").total.used_bytes : std::nullopt;
  };
  EXPECT_EQ(measure(std::nullopt, true), std::nullopt) << "nothing is known of the pod";
  EXPECT_EQ(measure(3, true), 3U) << "a part is better than nothing";
  EXPECT_EQ(measure(10, false), 10U);
  now_ += seconds(59);
  EXPECT_EQ(measure(std::nullopt, true), 10U);
  EXPECT_EQ(measure(4, true), 10U);
  EXPECT_EQ(measure(12, true), 12U);
  now_ += seconds(60);
  EXPECT_EQ(measure(4, true), 4U) << "it stays as it is";
  EXPECT_EQ(measure(2, false), 2U);
}

TEST_F(DiskWalkBoardTest, ThoseThatCouldNotBeReadAreWaitedForTenSeconds) {
  const auto measure = [&](const std::string& pod, bool partial) {
    Begin({pod});
    EXPECT_EQ(Take(0), pod);
    PodDiskUse use{.measured_at = now_, .partial = partial};
    use.total.inodes_used = 1;
    board_.Put(0, use);
    EXPECT_EQ(Take(0), "");
    return board_.UnreadUntil(now_);
  };
  EXPECT_EQ(measure("known", false), std::nullopt);
  EXPECT_EQ(measure("known", true), std::nullopt) << "what was known before counts";
  const Instant until = now_ + seconds(10);
  EXPECT_EQ(measure("new", true), until);
  now_ += seconds(9);
  EXPECT_EQ(measure("new", true), until) << "from the first time on";
  now_ += seconds(1);
  EXPECT_EQ(measure("new", true), std::nullopt) << "it stays as it is";
  EXPECT_EQ(measure("new", false), std::nullopt);
  EXPECT_EQ(measure("new", true), std::nullopt) << "the pod is known now";
}

TEST_F(DiskWalkBoardTest, GivingUpTheLastPodEndsTheWalk) {
  Begin({"dead"});
  EXPECT_EQ(Take(0), "dead");
  now_ += seconds(2);
  EXPECT_FALSE(board_.GiveUp(now_)) << "no other pod waits";
  EXPECT_THAT(Result(), IsEmpty());
}

TEST_F(DiskWalkBoardTest, WithoutAnybodyWhoWalksWhatIsKnownIsTheResult) {
  Begin({"a", "b"});
  EXPECT_EQ(Take(0), "a");
  Put(0);
  (void)Take(0);
  board_.Drop();
  (void)board_.GiveUp(now_);
  EXPECT_THAT(Result(), ElementsAre("a"));
}

TEST_F(DiskWalkBoardTest, WhatAnEndedPodHadSaysNothingOfTheNextOneOfItsUid) {
  Begin({"a", "b"});
  EXPECT_EQ(Take(0), "a");
  Put(0);
  EXPECT_EQ(Take(0), "b");
  board_.Forget("a");
  board_.Forget("b");
  Put(0);
  EXPECT_TRUE(board_.Known().empty());
  EXPECT_EQ(Take(0), "");
  Begin({"b"});
  EXPECT_TRUE(board_.Known().empty());
}

TEST_F(DiskWalkBoardTest, PodsThatAreGoneAreForgotten) {
  Begin({"a", "b"});
  for (int i = 0; i < 2; ++i) {
    (void)Take(0);
    Put(0);
  }
  (void)Take(0);
  Begin({"b"});
  EXPECT_FALSE(board_.Known().contains("a"));
}

}  // namespace
}  // namespace jettison
