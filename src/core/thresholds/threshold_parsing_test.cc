#include "core/thresholds/threshold_parsing.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace jettison {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// "signal value grace/reclaim", short enough for tables.
std::string Show(const ThresholdValue& value) {
  if (const auto* amount = std::get_if<Quantity>(&value)) return amount->ToString();
  return std::to_string(static_cast<double>(std::get<Percentage>(value).fraction)) + "f";
}
std::vector<std::string> Show(const ThresholdParsing& parsing) {
  std::vector<std::string> lines;
  for (const Threshold& t : parsing.thresholds) {
    lines.push_back(std::string(NameOf(t.signal)) + " " + Show(t.value) + " " +
                    FormatDuration(t.grace_period) +
                    (t.min_reclaim ? " " + Show(*t.min_reclaim) : ""));
  }
  return lines;
}
std::vector<std::string> Keys(const Faults& faults) {
  std::vector<std::string> keys;
  for (const Fault& fault : faults) keys.push_back(fault.key);
  return keys;
}

ThresholdParsing Hard(const std::string& text) {
  return ParseThresholds({.hard = {{"memory.available", text}},
                          .soft = {},
                          .soft_grace_period = {},
                          .minimum_reclaim = {}});
}

TEST(ThresholdParsing, AmountsAndPercentagesAreReadAsTheKubeletReadsThem) {
  EXPECT_THAT(Show(Hard("100Mi")), ElementsAre("memory.available 100Mi 0s"));
  EXPECT_THAT(Show(Hard("1.5Gi")), ElementsAre("memory.available 1536Mi 0s"));
  EXPECT_THAT(Show(Hard("1e3")), ElementsAre("memory.available 1e3 0s"));
  for (const char* ten : {"10%", "+10%", "1e1%", "1_0%", "10%%", "10.0%", "0x14p-1%"}) {
    EXPECT_THAT(Show(Hard(ten)), ElementsAre("memory.available 0.100000f 0s")) << ten;
  }
}

TEST(ThresholdParsing, TheExactTextsZeroAndHundredPercentSwitchAThresholdOff) {
  EXPECT_THAT(Show(Hard("0%")), IsEmpty());
  EXPECT_THAT(Show(Hard("100%")), IsEmpty());
  EXPECT_THAT(Show(Hard("0.0%")), ElementsAre("memory.available 0.000000f 0s"));
  EXPECT_THAT(Show(Hard("100.0%")), ElementsAre("memory.available 1.000000f 0s"));
}

TEST(ThresholdParsing, WhatTheKubeletRefusesIsAFault) {
  for (const char* text : {"", "%", "abc", "-5%", "101%", "Inf%", " 5%", "5 %", "0", "-1Gi", "1_0",
                           "1__0%", "0x14%", "1e%", "1e99%"}) {
    const ThresholdParsing parsing = Hard(text);
    EXPECT_THAT(Keys(parsing.faults), ElementsAre("evictionHard[memory.available]")) << text;
    ASSERT_FALSE(parsing.faults.empty());
    EXPECT_EQ(parsing.faults[0].value, text);
  }
}

TEST(ThresholdParsing, AnUnknownSignalIsAFaultThatNamesTheKnownOnes) {
  const auto parsing = ParseThresholds({.hard = {{"Memory.avaliable", "10%"}},
                                        .soft = {},
                                        .soft_grace_period = {},
                                        .minimum_reclaim = {}});
  ASSERT_EQ(parsing.faults.size(), 1U);
  EXPECT_THAT(parsing.faults[0].message, HasSubstr("did you mean \"memory.available\"?"));
  EXPECT_THAT(parsing.faults[0].message, HasSubstr("pid.available"));
}

TEST(ThresholdParsing, ASignalOfOurOwnIsAFaultThatSaysWhereItBelongs) {
  const auto parsing = ParseThresholds({.hard = {{"memory.pressure.full.avg10", "10%"}},
                                        .soft = {{"swap.available", "10%"}},
                                        .soft_grace_period = {},
                                        .minimum_reclaim = {}});
  ASSERT_EQ(parsing.faults.size(), 2U);
  EXPECT_THAT(parsing.faults[0].message, HasSubstr("pressureHard"));
  EXPECT_THAT(parsing.faults[1].message, HasSubstr("swapHard or swapSoft"));
  EXPECT_THAT(parsing.thresholds, IsEmpty());
}

TEST(ThresholdParsing, EveryFaultIsReportedAtOnce) {
  const auto parsing = ParseThresholds(
      {.hard = {{"memory.available", "-1"}, {"cpu.available", "1"}},
       .soft = {{"nodefs.available", "10%"}, {"imagefs.available", "x"}},
       .soft_grace_period = {{"imagefs.available", "soon"}, {"pid.available", "-1s"}},
       .minimum_reclaim = {{"nodefs.available", "0%"}, {"memory.available", "-1Gi"}}});
  EXPECT_THAT(
      Keys(parsing.faults),
      ElementsAre("evictionHard[cpu.available]", "evictionHard[memory.available]",
                  "evictionSoft[imagefs.available]", "evictionSoftGracePeriod[imagefs.available]",
                  "evictionSoftGracePeriod[pid.available]", "evictionSoft[nodefs.available]",
                  "evictionMinimumReclaim[memory.available]",
                  "evictionMinimumReclaim[nodefs.available]"));
}

TEST(ThresholdParsing, ASoftThresholdThatIsSwitchedOffNeedsNoGracePeriod) {
  const auto parsing = ParseThresholds({.hard = {},
                                        .soft = {{"nodefs.available", "0%"}},
                                        .soft_grace_period = {},
                                        .minimum_reclaim = {}});
  EXPECT_THAT(parsing.faults, IsEmpty());
}

TEST(ThresholdParsing, MinimumReclaimBelongsToHardAndSoftOfItsSignal) {
  const auto parsing = ParseThresholds({.hard = {{"nodefs.available", "5%"}},
                                        .soft = {{"nodefs.available", "10%"}},
                                        .soft_grace_period = {{"nodefs.available", "1m30s"}},
                                        .minimum_reclaim = {{"nodefs.available", "1Gi"}}});
  EXPECT_THAT(Show(parsing), ElementsAre("nodefs.available 0.050000f 0s 1Gi",
                                         "nodefs.available 0.100000f 1m30s 1Gi"));
}

TEST(ThresholdParsing, AllocatableMemoryCopiesWhatIsHardWherePodsAreEnforced) {
  const auto parsing = ParseThresholds({.hard = {{"memory.available", "1Gi"}},
                                        .soft = {{"memory.available", "2Gi"}},
                                        .soft_grace_period = {{"memory.available", "1m"}},
                                        .minimum_reclaim = {{"memory.available", "1Mi"}},
                                        .enforce_pods = true});
  EXPECT_THAT(Show(parsing),
              ElementsAre("memory.available 1Gi 0s 1Mi", "memory.available 2Gi 1m0s 1Mi",
                          "allocatableMemory.available 1Gi 0s 1Mi"));
}

TEST(ThresholdParsing, SettingsWithoutThresholdAreWarnedOf) {
  const auto parsing = ParseThresholds({.hard = {{"memory.available", "1Gi"}},
                                        .soft = {},
                                        .soft_grace_period = {{"memory.available", "1m"}},
                                        .minimum_reclaim = {{"pid.available", "Inf%"}}});
  EXPECT_THAT(parsing.faults, IsEmpty());
  EXPECT_THAT(Keys(parsing.warnings), ElementsAre("evictionSoftGracePeriod[memory.available]",
                                                  "evictionMinimumReclaim[pid.available]",
                                                  "evictionMinimumReclaim[pid.available]"));
}

}  // namespace
}  // namespace jettison
