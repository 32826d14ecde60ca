#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <string>

#include "core/model/pressure.h"
#include "core/thresholds/fields.h"
#include "core/thresholds/threshold_settings.h"

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

TEST(ThresholdParsing, AnotherSignalIsAFaultThatNamesTheKnownOnesOrSaysWhereItBelongs) {
  const auto parsing =
      ParseThresholds({.hard = {{"Memory.avaliable", "10%"}, {"memory.pressure.full.avg10", "10%"}},
                       .soft = {{"swap.available", "10%"}}});
  ASSERT_EQ(parsing.faults.size(), 3U);
  EXPECT_THAT(parsing.faults[0].message, HasSubstr("did you mean \"memory.available\"?"));
  EXPECT_THAT(parsing.faults[0].message, HasSubstr("pid.available"));
  EXPECT_THAT(parsing.faults[1].message, HasSubstr("pressureHard"));
  EXPECT_THAT(parsing.faults[2].message, HasSubstr("swapHard or swapSoft"));
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
                                        .soft_grace_period = {{"memory.available", "1m"}},
                                        .minimum_reclaim = {{"pid.available", "Inf%"}}});
  EXPECT_THAT(parsing.faults, IsEmpty());
  EXPECT_THAT(Keys(parsing.warnings), ElementsAre("evictionSoftGracePeriod[memory.available]",
                                                  "evictionMinimumReclaim[pid.available]",
                                                  "evictionMinimumReclaim[pid.available]"));
}

using ::testing::AllOf;
using ::testing::Field;

const SignalMaps& kPressureSettings = OwnSignalMaps()[0];
const SignalMaps& kSwapSettings = OwnSignalMaps()[1];
constexpr const char* kFull = "memory.pressure.full.avg10";

ThresholdParsing Parsed(const EvictionSettings& settings) {
  return ParseThresholds(settings, kPressureSettings);
}

ThresholdParsing OwnHard(const std::string& text) {
  return Parsed({.hard = {{kFull, text}}});
}

TEST(PressureThresholds, APercentageHasTwoDecimalsAtMost) {
  const std::pair<const char*, std::int32_t> rows[] = {
      {"20%", 2000}, {"0.01%", 1}, {"2.5%", 250}, {"99.99%", 9999}, {"007.50%", 750}};
  for (const auto& [text, share] : rows) {
    const ThresholdParsing parsing = OwnHard(text);
    ASSERT_EQ(parsing.thresholds.size(), 1U) << text;
    EXPECT_EQ(LostOf(std::get<Quantity>(parsing.thresholds[0].value)), share) << text;
  }
  for (const char* text :
       {"",      "%",    "20",   "0%",    "0.00%",  "0.001%",      "100.01%", "101%",
        "1000%", "-5%",  "+5%",  " 5%",   "5 %",    "5%%",         "5.%",     ".5%",
        "5.-1%", "1e1%", "Inf%", "100Mi", "5.5.5%", "99999999999%"}) {
    const ThresholdParsing parsing = OwnHard(text);
    ASSERT_THAT(parsing.faults, ElementsAre(Field(&Fault::message, HasSubstr("such as 20%"))))
        << text;
    EXPECT_EQ(parsing.faults[0].value, text);
    EXPECT_EQ(parsing.faults[0].key, "pressureHard[memory.pressure.full.avg10]");
  }
  EXPECT_THAT(OwnHard("100%").warnings,
              ElementsAre(Field(&Fault::message, HasSubstr("never met"))));
}

TEST(PressureThresholds, EveryFaultIsReportedAtOnce) {
  const ThresholdParsing parsing = Parsed(
      {.hard = {{"memory.presure.full.avg10", "20%"}, {"memory.available", "20%"}, {kFull, "x"}},
       .soft = {{"io.pressure.full.avg10", "5%"}, {"io.pressure.full.avg60", "5%"}},
       .soft_grace_period = {{"io.pressure.full.avg60", "0s"}, {"nonsense", "1m"}, {kFull, "1"}}});
  const auto at = [](const char* key, const char* message) {
    return AllOf(Field(&Fault::key, key), Field(&Fault::message, HasSubstr(message)));
  };
  EXPECT_THAT(
      parsing.faults,
      ElementsAre(at("pressureHard[memory.available]", "evictionHard"),
                  at("pressureHard[memory.pressure.full.avg10]", "such as 20%"),
                  at("pressureHard[memory.presure.full.avg10]",
                     "did you mean \"memory.pressure.full.avg10\"?"),
                  at("pressureSoftGracePeriod[io.pressure.full.avg60]", "pressureHard"),
                  at("pressureSoftGracePeriod[memory.pressure.full.avg10]", "such as 1m30s"),
                  at("pressureSoftGracePeriod[nonsense]", "allowed: memory.pressure.full.avg10"),
                  at("pressureSoft[io.pressure.full.avg10]",
                     "add io.pressure.full.avg10: 1m30s to "
                     "pressureSoftGracePeriod")));
  EXPECT_THAT(
      parsing.warnings,
      ElementsAre(at("pressureSoftGracePeriod[memory.pressure.full.avg10]", "has no effect")));
}

ThresholdParsing Swap(const std::string& text) {
  return ParseThresholds({.hard = {{"swap.available", text}}}, kSwapSettings);
}

TEST(SwapThresholds, AreAmountsOrPercentagesOfAllSwap) {
  const std::pair<const char*, ThresholdValue> rows[] = {{"512Mi", *Quantity::Parse("512Mi")},
                                                         {"1e9", *Quantity::Parse("1e9")},
                                                         {"10%", Percentage{0.1F}},
                                                         {"0.5%", Percentage{0.005F}}};
  for (const auto& [text, value] : rows) {
    const ThresholdParsing parsing = Swap(text);
    ASSERT_EQ(parsing.thresholds.size(), 1U) << text;
    EXPECT_EQ(parsing.thresholds[0].signal, Signal::kSwapAvailable);
    EXPECT_TRUE(parsing.thresholds[0].value == value) << text;
    EXPECT_THAT(parsing.warnings, IsEmpty());
  }
  for (const char* text : {"", "%", "0", "0%", "-1Mi", "-1%", "101%", "NaN%", "Inf%", "5%%", "x"}) {
    const ThresholdParsing parsing = Swap(text);
    ASSERT_THAT(parsing.faults, ElementsAre(Field(&Fault::message, HasSubstr("such as 512Mi"))))
        << text;
    EXPECT_EQ(parsing.faults[0].key, "swapHard[swap.available]");
  }
  EXPECT_THAT(Swap("100%").warnings, ElementsAre(Field(&Fault::message, HasSubstr("single page"))));
}

TEST(OwnThresholds, EverySignalIsSetInTheMapsOfTheKubeletOrOfOneKind) {
  for (const Signal signal : kAllSignals) {
    const auto kinds = std::ranges::count_if(OwnSignalMaps(), [signal](const SignalMaps& own) {
      return std::ranges::find(own.signals, signal) != own.signals.end();
    });
    EXPECT_EQ(kinds, RowOf(signal).of_kubelet ? 0 : 1) << NameOf(signal);
  }
}

constexpr float kInfinity = std::numeric_limits<float>::infinity();

TEST(GoFloat, NumbersAreReadAsGoReadsThem) {
  const std::pair<const char*, float> rows[] = {{"0", 0.0F},
                                                {"10", 10.0F},
                                                {"+5", 5.0F},
                                                {"-5", -5.0F},
                                                {".5", 0.5F},
                                                {"5.", 5.0F},
                                                {"1e1", 10.0F},
                                                {"1E+1", 10.0F},
                                                {"1e-1", 0.1F},
                                                {"1_0", 10.0F},
                                                {"1_23.50_0_0e+1_2", 1.235e+14F},
                                                {"33.333", 33.333F},
                                                {"0x1p-2", 0.25F},
                                                {"0X1.8P1", 3.0F},
                                                {"0x_1_0p0", 16.0F},
                                                {"0010", 10.0F},
                                                {"1e-50", 0.0F},
                                                {"1e-400", 0.0F},
                                                {"0e999999999", 0.0F},
                                                {"0x0p999999", 0.0F},
                                                {"3.4028234663852886e38", 3.4028234663852886e38F},
                                                {"1e-45", 1.4e-45F},
                                                {"16777217", 16777216.0F},
                                                {"Inf", kInfinity},
                                                {"-infinity", -kInfinity},
                                                {"+INF", kInfinity}};
  for (const auto& [text, value] : rows) EXPECT_EQ(ParseGoFloat32(text), value) << text;
  EXPECT_TRUE(std::isnan(ParseGoFloat32("NaN").value_or(0)));
}

TEST(GoFloat, WhatGoRefusesIsAbsent) {
  for (const char* text :
       {"",     "+",       "-",     ".",     "e1",           "1e",      "1e+",  "1x",
        " 1",   "1 ",      "1.2.3", "0x",    "0x1",          "0x.p1",   "0xp1", "0x1e2",
        "1p2",  "_1",      "1_",    "1__0",  "1_.5",         "1._5",    "1e_1", "1e+_1",
        "1e1_", "0x__1p0", "1e39",  "1e400", "3.4028236e38", "0x1p128", "+nan", "-nan",
        "in",   "infin",   "++1",   "--1"}) {
    EXPECT_FALSE(ParseGoFloat32(text)) << text;
  }
}

TEST(Paths, AnAbsolutePathHasNoWayUp) {
  for (const char* path : {"/", "/a", "/a/b/", "/a/..b"}) EXPECT_EQ(FaultOfAbsolutePath(path), "");
  for (const char* path : {"", "a", "./a", "/a/../b", "/..", "/a/.."}) {
    EXPECT_NE(FaultOfAbsolutePath(path), "") << path;
  }
  EXPECT_NE(FaultOfAbsolutePath(std::string_view("/a\0b", 4)), "");
}

}  // namespace
}  // namespace jettison
