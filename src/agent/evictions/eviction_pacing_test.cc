#include "agent/evictions/eviction_pacing.h"

#include <gtest/gtest.h>

#include <array>

namespace jettison {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

const Instant kNow{std::chrono::hours(1)};
const std::array<Threshold, 2> kThresholds = {
    {{.signal = Signal::kMemoryAvailable}, {.signal = Signal::kNodeFsAvailable}}};

CycleReport Waiting(Signal signal, PaceReason reason) {
  CycleReport report;
  report.acting_for = Threshold{.signal = signal};
  report.pause = EvictionPause{.reason = reason, .until = kNow + seconds(5), .pod_uid = "pod"};
  return report;
}

TEST(PausedEviction, IsToldAgainForAnotherReasonNoSoonerThanAfterATenthOfASecond) {
  PausedEviction paused;
  paused.Take(Waiting(Signal::kMemoryAvailable, PaceReason::kNodeLasts), kNow);
  const EvictionPause same{.reason = PaceReason::kNodeLasts};
  const EvictionPause other{.reason = PaceReason::kNotTheirs};
  EXPECT_TRUE(paused.IsReported(Signal::kMemoryAvailable, same, kNow + seconds(1)));
  EXPECT_TRUE(paused.IsReported(Signal::kMemoryAvailable, other, kNow + milliseconds(99)));
  EXPECT_FALSE(paused.IsReported(Signal::kMemoryAvailable, other, kNow + milliseconds(100)));
  EXPECT_FALSE(paused.IsReported(Signal::kPidAvailable, same, kNow));
}

TEST(PausedEviction, EndsWhenNoThresholdOfItsSignalIsOverdue) {
  PausedEviction paused;
  paused.Take(Waiting(Signal::kNodeFsAvailable, PaceReason::kNoForecast), kNow);
  EXPECT_TRUE(paused.IsForDisk(kNow));
  EXPECT_FALSE(paused.IsForDisk(kNow + seconds(5))) << "the pause is over";
  paused.EndUnless(kThresholds, ThresholdSet(0b10));
  EXPECT_TRUE(paused.pause());
  paused.EndUnless(kThresholds, ThresholdSet(0b01));
  EXPECT_FALSE(paused.pause());
}

TEST(PausedEviction, WhatHoldsSoftEvictionsUpIsToldAgainWhenItLastsLonger) {
  PausedEviction paused;
  paused.Take(Waiting(Signal::kNodeFsAvailable, PaceReason::kApiAway), kNow);
  EXPECT_FALSE(paused.IsForPace());
  const EvictionPause same{.reason = PaceReason::kApiAway, .until = kNow + seconds(5)};
  const EvictionPause longer{.reason = PaceReason::kApiAway, .until = kNow + seconds(9)};
  const EvictionPause other{.reason = PaceReason::kCoolDown, .until = kNow + seconds(5)};
  EXPECT_TRUE(paused.IsReported(Signal::kNodeFsAvailable, same, kNow));
  EXPECT_FALSE(paused.IsReported(Signal::kNodeFsAvailable, longer, kNow));
  EXPECT_FALSE(paused.IsReported(Signal::kNodeFsAvailable, other, kNow));
  paused.Take(Waiting(Signal::kNodeFsAvailable, PaceReason::kNoForecast), kNow);
  EXPECT_TRUE(paused.IsForPace());
}

}  // namespace
}  // namespace jettison
