#include "core/decide/eviction_pace.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "core/model/pod.h"

namespace jettison {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr std::int64_t kMebibyte = std::int64_t{1} << 20;
constexpr Instant kNow{std::chrono::hours(1)};

// A node with a hard line of 100 MiB of memory.
struct Case {
  std::int64_t available = 99;     // MiB
  std::vector<std::int64_t> pods;  // MiB held, the first is the victim
  PaceInput pace{};
  bool soft = false;
  Signal signal = Signal::kMemoryAvailable;
};

PaceInput AfterEviction(std::int64_t ending_mi, std::int64_t growth_mi, std::int64_t of_pods_mi) {
  return {.kubelet_decides = kNow + seconds(1),
          .next_by_clock = kNow + seconds(9),
          .ending = ending_mi * kMebibyte,
          .growth = growth_mi * kMebibyte,
          .growth_of_pods = of_pods_mi * kMebibyte};
}

std::optional<EvictionPause> PauseIn(const Case& with) {
  const Threshold threshold{.signal = with.signal,
                            .value = Quantity::Of(100 * kMebibyte),
                            .grace_period = with.soft ? seconds(30) : seconds(0),
                            .min_reclaim = std::nullopt};
  std::vector<PodFacts> facts(with.pods.size());
  std::vector<PodStats> stats(with.pods.size());
  std::vector<ActivePod> pods;
  for (std::size_t i = 0; i < with.pods.size(); ++i) {
    facts[i].pod.uid = "pod" + std::to_string(i);
    stats[i].memory_working_set_bytes = static_cast<std::uint64_t>(with.pods[i] * kMebibyte);
    stats[i].process_count = static_cast<std::uint64_t>(with.pods[i] * kMebibyte);
    pods.push_back({&facts[i], &stats[i]});
  }
  PaceInput pace = with.pace;
  pace.signal = with.signal;
  return PauseBefore(
      {.threshold = threshold,
       .seen = {.available = with.available * kMebibyte, .capacity = 1000 * kMebibyte},
       .pods = pods,
       .victim = 0,
       .layout = {},
       .now = kNow},
      pace);
}

std::string Why(const Case& with) {
  const auto pause = PauseIn(with);
  return pause ? std::string(NameOf(pause->reason)) : "now";
}

TEST(EvictionPace, TheFirstEvictionComesAtOnce) {
  EXPECT_EQ(Why({.pods = {300, 1}, .pace = {.next_by_clock = kNow + seconds(9)}}), "now");
}

TEST(EvictionPace, AFirstVictimThatHoldsNextToNothingWaitsForThePassByTheClock) {
  const Case spike{.available = 0, .pods = {5, 300}, .pace = {.next_by_clock = kNow + seconds(9)}};
  EXPECT_EQ(Why(spike), "victim-too-small");
  EXPECT_EQ(PauseIn(spike)->until, kNow + seconds(9));
  EXPECT_EQ(PauseIn(spike)->pod_uid, "pod0");
  Case by_clock = spike;
  by_clock.pace.next_by_clock.reset();
  EXPECT_EQ(Why(by_clock), "now") << "the kubelet would have evicted it by now";
}

TEST(EvictionPace, AFirstVictimWaitsWhereAllPodsTogetherHoldLessThanIsMissing) {
  EXPECT_EQ(Why({.available = 0, .pods = {40, 40}, .pace = {.next_by_clock = kNow + seconds(9)}}),
            "not-theirs");
}

TEST(EvictionPace, ASecondOneWaitsWhereTheNodeLastsUntilTheKubeletsNextDecision) {
  EXPECT_EQ(Why({.pods = {300}, .pace = AfterEviction(0, 0, 0)}), "node-lasts");
  EXPECT_EQ(Why({.pods = {300}, .pace = AfterEviction(0, 80, 80)}), "node-lasts") << "99 in 1.1 s";
  EXPECT_EQ(PauseIn({.pods = {300}, .pace = AfterEviction(0, 0, 0)})->until, kNow + seconds(1));
}

TEST(EvictionPace, WhatIsEndingCountsAsGivenBack) {
  EXPECT_EQ(Why({.pods = {300}, .pace = AfterEviction(400, 400, 400)}), "node-lasts");
  EXPECT_EQ(Why({.pods = {300}, .pace = AfterEviction(200, 400, 400)}), "now");
}

TEST(EvictionPace, GrowthThatIsNotKnownYetIsNoHurry) {
  Case with{.pods = {300}, .pace = AfterEviction(0, 400, 400)};
  with.pace.growth.reset();
  EXPECT_EQ(Why(with), "node-lasts");
}

TEST(EvictionPace, GrowthOfOthersIsNoReasonToEvictFaster) {
  EXPECT_EQ(Why({.pods = {300}, .pace = AfterEviction(0, 400, 100)}), "not-theirs");
  EXPECT_EQ(Why({.pods = {300}, .pace = AfterEviction(0, 400, 200)}), "now");
}

TEST(EvictionPace, ASmallVictimIsNoHelpHoweverSoonTheRestIsGone) {
  EXPECT_EQ(Why({.pods = {5, 900}, .pace = AfterEviction(0, 400, 400)}), "victim-too-small");
}

TEST(EvictionPace, OfManyPodsThatTakeTheRestTogetherEachHelps) {
  const std::vector<std::int64_t> alike(100, 5);
  EXPECT_EQ(Why({.available = 99, .pods = alike, .pace = AfterEviction(0, 390, 390)}),
            "victim-too-small")
      << "what is left lasts for a quarter of a second: this may be over by then";
  EXPECT_EQ(Why({.available = 90, .pods = alike, .pace = AfterEviction(0, 390, 390)}), "now");
  EXPECT_EQ(Why({.available = 0, .pods = alike, .pace = AfterEviction(0, 390, 200)}), "now");
  EXPECT_EQ(Why({.available = 0, .pods = alike, .pace = AfterEviction(0, 390, 100)}), "not-theirs");
  EXPECT_EQ(Why({.available = 90, .pods = alike, .pace = AfterEviction(20, 390, 390)}),
            "victim-too-small")
      << "what is ending counts as given back";
  std::vector<std::int64_t> one_is_large = alike;
  one_is_large.back() = 900;
  EXPECT_EQ(Why({.available = 0, .pods = one_is_large, .pace = AfterEviction(0, 390, 390)}),
            "victim-too-small")
      << "it is small among them";
}

TEST(EvictionPace, TheFirstOfManyThatTakeTheRestTogetherDoesNotWaitForTheClockEither) {
  const std::vector<std::int64_t> alike(100, 5);
  Case with{.available = 10, .pods = alike, .pace = {.next_by_clock = kNow + seconds(9)}};
  EXPECT_EQ(Why(with), "victim-too-small") << "nothing is known of growth";
  with.pace.growth = with.pace.growth_of_pods = 390 * kMebibyte;
  EXPECT_EQ(Why(with), "now");
  with.pace.growth_of_pods = 0;
  EXPECT_EQ(Why(with), "victim-too-small");
}

TEST(EvictionPace, SoftThresholdsAndDisksComeAtTheKubeletsPace) {
  EXPECT_EQ(Why({.pods = {300}, .pace = AfterEviction(0, 400, 400), .soft = true}), "no-forecast");
  EXPECT_EQ(
      Why({.pods = {300}, .pace = AfterEviction(0, 400, 400), .signal = Signal::kNodeFsAvailable}),
      "no-forecast");
}

TEST(EvictionPace, ProcessIdsAreForeseenLikeMemory) {
  EXPECT_EQ(
      Why({.pods = {300}, .pace = AfterEviction(0, 400, 400), .signal = Signal::kPidAvailable}),
      "now");
  EXPECT_EQ(Why({.pods = {300}, .pace = AfterEviction(0, 400, 0), .signal = Signal::kPidAvailable}),
            "not-theirs");
}

TEST(EvictionPace, AtTheKubeletsNextDecisionItIsOver) {
  PaceInput pace = AfterEviction(0, 0, 0);
  pace.kubelet_decides = kNow;
  EXPECT_EQ(Why({.pods = {300}, .pace = pace}), "now");
}

TEST(EvictionPace, AVictimOfWhomNothingIsKnownIsNotCalledSmall) {
  PodFacts facts;
  const ActivePod pod{&facts, nullptr};
  const Threshold threshold{.signal = Signal::kMemoryAvailable,
                            .value = Quantity::Of(100 * kMebibyte),
                            .grace_period = {},
                            .min_reclaim = std::nullopt};
  EXPECT_FALSE(PauseBefore({.threshold = threshold,
                            .seen = {.available = 0, .capacity = 1000 * kMebibyte},
                            .pods = {&pod, 1},
                            .victim = 0,
                            .layout = {},
                            .now = kNow},
                           {.next_by_clock = kNow + seconds(9)}));
}

TEST(EvictionPace, AmountsBeyondAllMeasureDoNotOverflow) {
  constexpr auto kMost = std::numeric_limits<std::int64_t>::max();
  EXPECT_FALSE(Lasts(kMost, kMost, std::chrono::hours(24)));
  EXPECT_TRUE(Lasts(kMost, kMost, milliseconds(500)));
  EXPECT_TRUE(Lasts(1, 0, std::chrono::hours(24)));
  EXPECT_TRUE(Lasts(0, -1, std::chrono::hours(24)));
}

TEST(EvictionPace, WhatHoldsSoftEvictionsUpHoldsNoHardOneUp) {
  const PaceInput waiting{
      .soft = SoftHold{.reason = PaceReason::kCoolDown, .until = kNow + seconds(9)}};
  const auto pause = PauseIn({.pods = {300}, .pace = waiting, .soft = true});
  EXPECT_EQ(pause,
            (EvictionPause{
                .reason = PaceReason::kCoolDown, .until = kNow + seconds(9), .pod_uid = "pod0"}));
  EXPECT_EQ(Why({.pods = {300}, .pace = waiting}), "now");
}

TEST(EvictionPace, ASoftEvictionIsNotHeldUpForLongerThanTold) {
  const PaceInput waiting{.soft = SoftHold{.reason = PaceReason::kApiAway, .until = kNow}};
  EXPECT_EQ(Why({.pods = {300}, .pace = waiting, .soft = true}), "now");
}

constexpr Instant kBegin{std::chrono::hours(1)};

TEST(EvictionPace, TheNextBeginsACleanUpPollAfterThePodIsGone) {
  EvictionPace round;
  EXPECT_EQ(round.KubeletDecides(kBegin), std::nullopt);
  round.Evicted(true, kBegin);
  EXPECT_EQ(round.KubeletDecides(kBegin), kBegin + seconds(2));
  const Instant gone = kBegin + milliseconds(70);
  round.CleanedUp(true, gone);
  EXPECT_EQ(round.KubeletDecides(gone), gone + seconds(1));
  EXPECT_EQ(round.KubeletDecides(gone + seconds(1)), std::nullopt);
}

TEST(EvictionPace, WhileAPodWillNotGoTheKubeletPollsOnUntilItHasHadEnough) {
  EvictionPace round;
  round.Evicted(true, kBegin);
  const Instant late = kBegin + seconds(20);
  EXPECT_EQ(round.KubeletDecides(late), late + seconds(1));
  round.CleanedUp(false, late);
  EXPECT_EQ(round.KubeletDecides(late), std::nullopt);
}

TEST(EvictionPace, ASoftEvictionThatIsAwaitedPutsOffNoOtherOne) {
  EvictionPace round;
  round.Evicted(false, kBegin);
  EXPECT_EQ(round.KubeletDecides(kBegin), std::nullopt);
  round.CleanedUp(true, kBegin + seconds(5));
  EXPECT_EQ(round.KubeletDecides(kBegin + seconds(5)), kBegin + seconds(6));
}

TEST(EvictionPace, NorDoesItAfterOthersThatAreOver) {
  EvictionPace round;
  round.Evicted(true, kBegin);
  round.CleanedUp(true, kBegin);
  const Instant later = kBegin + seconds(10);
  round.Evicted(false, later);
  EXPECT_EQ(round.KubeletDecides(later), std::nullopt);
  EXPECT_EQ(round.KubeletDecides(later + seconds(5)), std::nullopt);
  round.Evicted(true, later + seconds(5));
  EXPECT_EQ(round.KubeletDecides(later + seconds(20)), later + seconds(21))
      << "a hard one is awaited too";
}

}  // namespace
}  // namespace jettison
