#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <optional>
#include <tuple>
#include <vector>

#include "cli/simulate/simulate.h"
#include "cli/terminal/output.h"
#include "core/thresholds/threshold_settings.h"
#include "core/units/duration.h"

namespace jettison {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

PassPolicy Hard100() {
  PassPolicy policy;
  policy.thresholds = {
      {.signal = Signal::kMemoryAvailable, .value = *Quantity::Parse("100Mi")},
      {.signal = Signal::kAllocatableMemoryAvailable, .value = *Quantity::Parse("100Mi")}};
  return policy;
}

std::vector<std::string> ValuesOf(std::string_view text) {
  const auto sweep = ParseSweep(text);
  EXPECT_TRUE(sweep) << sweep.error().message;
  return sweep ? sweep->values : std::vector<std::string>{};
}

std::string FaultOf(std::string_view text) {
  const auto sweep = ParseSweep(text);
  return sweep ? "" : sweep.error().message;
}

TEST(Sweep, ARangeHasBothItsEnds) {
  EXPECT_THAT(ValuesOf("evictionHard.memory.available=100Mi..400Mi/4"),
              ElementsAre("100Mi", "200Mi", "300Mi", "400Mi"));
  EXPECT_THAT(ValuesOf("evictionHard.nodefs.available=5%..10%/3"),
              ElementsAre("5%", "7.5%", "10%"));
  EXPECT_THAT(ValuesOf("evictionSoftGracePeriod.memory.available=30s..1m30s/3"),
              ElementsAre("30s", "1m0s", "1m30s"));
  EXPECT_THAT(ValuesOf("evictionHard.memory.available=100Mi..400Mi/1"), ElementsAre("100Mi"));
}

TEST(Sweep, WhatIsWrongIsSaidWithWhatIsAllowed) {
  EXPECT_THAT(FaultOf("evictionHard.memory.available"), HasSubstr("KEY=FROM..TO/COUNT"));
  EXPECT_THAT(FaultOf("evictionhard.memory.available=1Mi"), HasSubstr("evictionHard"));
  EXPECT_THAT(FaultOf("evictionHard.memory.avail=1Mi"), HasSubstr("memory.available"));
  EXPECT_THAT(FaultOf("evictionHard.containerfs.available=1Gi"),
              HasSubstr("with a signal after a dot"));
  EXPECT_THAT(FaultOf("evictionHard.memory.available=1Mi..2Mi"), HasSubstr("after a slash"));
  EXPECT_THAT(FaultOf("evictionHard.memory.available=1Mi..2Mi/0"), HasSubstr("from 1 to"));
  EXPECT_THAT(FaultOf("evictionHard.memory.available=1Mi..5%/3"), HasSubstr("both ends"));
  EXPECT_THAT(FaultOf("evictionHard.memory.available=1Mi,,2Mi"), HasSubstr("a value is missing"));
  EXPECT_THAT(FaultOf("evictionMaxPodGracePeriod.memory.available=3"),
              HasSubstr("there is no such setting"));
}

TEST(Sweep, AHardLineOnMemoryTakesItsCopyForPodsWithIt) {
  const auto policy = WithSetting(Hard100(), "evictionHard.memory.available", "200Mi");
  ASSERT_TRUE(policy);
  for (const Threshold& threshold : policy->thresholds) {
    EXPECT_EQ(std::get<Quantity>(threshold.value), *Quantity::Parse("200Mi"));
  }
}

std::string FaultOf(const std::string& key, const std::string& value) {
  const auto policy = WithSetting(Hard100(), key, value);
  return policy ? "" : policy.error().message;
}

// What is simulated must be what a configuration with the value does.
TEST(Sweep, AValueThatAConfigurationDoesNotTakeAndOneWithoutAPlaceInThePolicyAreRefused) {
  EXPECT_THAT(FaultOf("evictionSoft.memory.available", "200Mi"),
              HasSubstr("no soft threshold on memory.available"));
  EXPECT_THAT(FaultOf("evictionMinimumReclaim.pid.available", "10"),
              HasSubstr("no threshold on pid.available"));
  EXPECT_THAT(FaultOf("evictionHard.memory.available", "much"),
              HasSubstr("evictionHard.memory.available=much"));
  EXPECT_THAT(FaultOf("evictionMaxPodGracePeriod", "-5"), HasSubstr("from 0 to 2147483647"));
  EXPECT_THAT(FaultOf("evictionMaxPodGracePeriod", "2147483648"), HasSubstr("from 0 to"));
  EXPECT_THAT(FaultOf("evictionPressureTransitionPeriod", "0s"), HasSubstr("more than 0s"));
  EXPECT_THAT(FaultOf("evictionMinimumReclaim.memory.available", "-1"),
              HasSubstr("must not be negative"));
  EXPECT_THAT(FaultOf("evictionMinimumReclaim.memory.available", "0%"),
              HasSubstr("must be more than 0%"));
}

TEST(Sweep, AMinimumReclaimMayBeZeroAndHoldsForTheCopyForPodsToo) {
  for (const std::string value : {"0", "60Mi"}) {
    const auto policy = WithSetting(Hard100(), "evictionMinimumReclaim.memory.available", value);
    ASSERT_TRUE(policy) << policy.error().message;
    for (const Threshold& threshold : policy->thresholds) {
      ASSERT_TRUE(threshold.min_reclaim);
      EXPECT_EQ(std::get<Quantity>(*threshold.min_reclaim), *Quantity::Parse(value));
    }
  }
}

// What can be compared of thresholds.
auto PartsOf(const std::vector<Threshold>& thresholds) {
  std::vector<std::tuple<Signal, ThresholdValue, Duration, std::optional<ThresholdValue>>> parts;
  for (const Threshold& each : thresholds) {
    parts.emplace_back(each.signal, each.value, each.grace_period, each.min_reclaim);
  }
  return parts;
}

// As a configuration with the value has it: a containerfs follows the file system that it is like.
TEST(Sweep, ASettingOfAFileSystemHoldsForTheContainerFsThatFollowsIt) {
  const std::vector<Threshold> configured = {
      {.signal = Signal::kNodeFsAvailable, .value = *Quantity::Parse("10Gi")},
      {.signal = Signal::kImageFsAvailable, .value = *Quantity::Parse("15Gi")},
      {.signal = Signal::kImageFsAvailable,
       .value = *Quantity::Parse("20Gi"),
       .grace_period = std::chrono::minutes(2)}};
  const DiskLayout apart{.dedicated_image_fs = true, .dedicated_container_fs = false};
  const auto change = [](const std::string& key, const std::string& value, Threshold& threshold) {
    if (key.starts_with("evictionMinimumReclaim")) {
      threshold.min_reclaim = *Quantity::Parse(value);
    } else if (key.starts_with("evictionSoftGracePeriod")) {
      threshold.grace_period = *ParseDuration(value);
    } else {
      threshold.value = *Quantity::Parse(value);
    }
  };
  const auto expect_same = [&](DiskLayout layout, std::size_t changed, const std::string& key,
                               const std::string& value) {
    PassPolicy recorded;
    recorded.layout = layout;
    recorded.thresholds = ThresholdsFor(configured, layout);
    std::vector<Threshold> other = configured;
    change(key, value, other[changed]);
    const auto policy = WithSetting(recorded, key, value);
    ASSERT_TRUE(policy) << policy.error().message;
    EXPECT_EQ(PartsOf(policy->thresholds), PartsOf(ThresholdsFor(other, layout))) << key;
    EXPECT_NE(PartsOf(policy->thresholds), PartsOf(recorded.thresholds)) << key;
  };
  expect_same({}, 0, "evictionHard.nodefs.available", "5Gi");
  expect_same({}, 0, "evictionMinimumReclaim.nodefs.available", "1Gi");
  expect_same(apart, 1, "evictionHard.imagefs.available", "5Gi");
  expect_same(apart, 2, "evictionSoft.imagefs.available", "30Gi");
  expect_same(apart, 2, "evictionSoftGracePeriod.imagefs.available", "5m");
}

// What is told on standard error of what a command line asks for.
std::string SaidOf(const CandidateOptions& options, int status) {
  CommandFaults faults;
  testing::internal::CaptureStderr();
  (void)ReadCandidates(options, faults);
  std::string told = testing::internal::GetCapturedStderr();
  EXPECT_EQ(faults.status(), status) << told;
  return told;
}

TEST(Candidates, ASettingHasOneSweep) {
  EXPECT_THAT(SaidOf({.policy_files = {},
                      .sweeps = {"evictionHard.memory.available=50Mi,100Mi",
                                 "evictionHard.memory.available=1Gi"}},
                     kExitInvalidInput),
              HasSubstr("evictionHard.memory.available: has two sweeps; give all its values in "
                        "one: --sweep evictionHard.memory.available=VALUE,VALUE"));
  EXPECT_EQ(
      SaidOf({.policy_files = {},
              .sweeps = {"evictionHard.memory.available=50Mi", "evictionHard.nodefs.available=5%"}},
             0),
      "");
}

TEST(Candidates, APolicyIsNotReadFromStandardInput) {
  EXPECT_EQ(SaidOf({.policy_files = {"-"}, .sweeps = {}}, kExitInvalidInput),
            "jettison: -: a policy must be a file; only a recording is read from standard input\n");
}

}  // namespace
}  // namespace jettison
