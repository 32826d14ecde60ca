#include <gtest/gtest.h>

#include <chrono>

#include "core/decide/eviction_pace.h"

namespace jettison {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr Instant kBegin{std::chrono::hours(1)};

TEST(KubeletRound, TheNextBeginsACleanUpPollAfterThePodIsGone) {
  KubeletRound round;
  EXPECT_EQ(round.Next(kBegin), std::nullopt);
  round.Evicted(Resource::kMemory, true, seconds(1), kBegin);
  EXPECT_EQ(round.Next(kBegin), kBegin + seconds(2));
  const Instant gone = kBegin + milliseconds(70);
  round.CleanedUp(true, gone);
  EXPECT_EQ(round.Next(gone), gone + seconds(1));
  EXPECT_EQ(round.Next(gone + seconds(1)), std::nullopt);
}

TEST(KubeletRound, WhileAPodWillNotGoTheKubeletPollsOnUntilItHasHadEnough) {
  KubeletRound round;
  round.Evicted(Resource::kMemory, true, seconds(1), kBegin);
  const Instant late = kBegin + seconds(20);
  EXPECT_EQ(round.Next(late), late + seconds(1));
  round.CleanedUp(false, late);
  EXPECT_EQ(round.Next(late), std::nullopt);
}

TEST(KubeletRound, ASoftEvictionThatIsAwaitedPutsOffNoOtherOne) {
  KubeletRound round;
  round.Evicted(Resource::kMemory, false, seconds(30), kBegin);
  EXPECT_EQ(round.Next(kBegin), std::nullopt);
  round.CleanedUp(true, kBegin + seconds(5));
  EXPECT_EQ(round.Next(kBegin + seconds(5)), kBegin + seconds(6));
}

TEST(KubeletRound, NorDoesItAfterOthersThatAreOver) {
  KubeletRound round;
  round.Evicted(Resource::kMemory, true, seconds(1), kBegin);
  round.CleanedUp(true, kBegin);
  const Instant later = kBegin + seconds(10);
  round.Evicted(Resource::kMemory, false, seconds(30), later);
  EXPECT_EQ(round.Next(later), std::nullopt);
  EXPECT_EQ(round.NextFor(Signal::kNodeFsAvailable, later + seconds(5)), std::nullopt);
  round.Evicted(Resource::kPids, true, seconds(1), later + seconds(5));
  EXPECT_EQ(round.Next(later + seconds(20)), later + seconds(21)) << "a hard one is awaited too";
}

TEST(KubeletRound, ADiskWaitsForWhoeverWasEvictedWhateverFor) {
  KubeletRound round;
  round.Evicted(Resource::kPids, true, seconds(1), kBegin);
  for (const Signal signal : {Signal::kNodeFsAvailable, Signal::kNodeFsInodesFree,
                              Signal::kImageFsAvailable, Signal::kPidAvailable}) {
    EXPECT_EQ(round.NextFor(signal, kBegin), kBegin + seconds(2)) << NameOf(signal);
  }
}

TEST(KubeletRound, WhatIsForeseenWaitsForNoOtherResource) {
  KubeletRound round;
  round.Evicted(Resource::kInodes, true, seconds(1), kBegin);
  for (const Signal signal :
       {Signal::kMemoryAvailable, Signal::kSwapAvailable, Signal::kPidAvailable}) {
    EXPECT_EQ(round.NextFor(signal, kBegin), std::nullopt) << NameOf(signal);
  }
}

TEST(KubeletRound, ARoundThatIsOverSaysNothingOfTheOnesAfterIt) {
  KubeletRound round;
  round.Evicted(Resource::kMemory, true, seconds(1), kBegin);
  round.CleanedUp(true, kBegin);
  const Instant later = kBegin + seconds(10);
  round.Evicted(Resource::kPids, true, seconds(1), later);
  EXPECT_EQ(round.NextFor(Signal::kMemoryAvailable, later), std::nullopt);
  EXPECT_EQ(round.NextFor(Signal::kPidAvailable, later), later + seconds(2));
}

}  // namespace
}  // namespace jettison
