#include "core/thresholds/threshold_parsing.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace jettison {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

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
