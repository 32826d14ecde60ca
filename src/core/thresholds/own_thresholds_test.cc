#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/model/pressure.h"
#include "core/thresholds/threshold_parsing.h"

namespace jettison {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::Field;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

const SignalMaps& kPressureSettings = OwnSignalMaps()[0];
const SignalMaps& kSwapSettings = OwnSignalMaps()[1];
constexpr const char* kFull = "memory.pressure.full.avg10";

std::vector<std::string> ShowOwn(const ThresholdParsing& parsing) {
  std::vector<std::string> lines;
  for (const Threshold& threshold : parsing.thresholds) {
    const std::int64_t lost = LostOf(std::get<Quantity>(threshold.value));
    lines.push_back(std::string(NameOf(threshold.signal)) + " " + ShareText(lost) + " " +
                    FormatDuration(threshold.grace_period));
  }
  return lines;
}

ThresholdParsing Parsed(const EvictionSettings& settings) {
  return ParseThresholds(kPressureSettings, settings);
}

ThresholdParsing OwnHard(const std::string& text) {
  return Parsed({.hard = {{kFull, text}}, .soft = {}, .soft_grace_period = {}});
}

TEST(PressureThresholds, AreHardThenSoftBySignal) {
  const ThresholdParsing parsing =
      Parsed({.hard = {{"io.pressure.some.avg60", "50%"}, {kFull, "20%"}},
              .soft = {{"io.pressure.full.avg10", "2.5%"}, {kFull, "10%"}},
              .soft_grace_period = {{kFull, "30s"}, {"io.pressure.full.avg10", "1m"}}});
  EXPECT_THAT(parsing.faults, IsEmpty());
  EXPECT_THAT(parsing.warnings, IsEmpty());
  EXPECT_THAT(
      ShowOwn(parsing),
      ElementsAre("memory.pressure.full.avg10 20% 0s", "io.pressure.some.avg60 50% 0s",
                  "memory.pressure.full.avg10 10% 30s", "io.pressure.full.avg10 2.5% 1m0s"));
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
}

TEST(PressureThresholds, AllOfTheTimeIsTakenButWarnedOf) {
  const ThresholdParsing parsing = OwnHard("100%");
  EXPECT_THAT(parsing.faults, IsEmpty());
  EXPECT_THAT(parsing.warnings, ElementsAre(Field(&Fault::message, HasSubstr("never met"))));
  EXPECT_EQ(parsing.thresholds.size(), 1U);
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
  return ParseThresholds(kSwapSettings,
                         {.hard = {{"swap.available", text}}, .soft = {}, .soft_grace_period = {}});
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

TEST(SwapThresholds, ASoftOneNeedsAGracePeriodAndNoOtherSignalIsOfSwap) {
  const ThresholdParsing parsing = ParseThresholds(
      kSwapSettings, {.hard = {{"swap.availabel", "1Gi"}, {"memory.available", "1Gi"}},
                      .soft = {{"swap.available", "20%"}},
                      .soft_grace_period = {}});
  EXPECT_THAT(parsing.faults,
              ElementsAre(Field(&Fault::message, HasSubstr("evictionHard")),
                          Field(&Fault::message, HasSubstr("did you mean \"swap.available\"?")),
                          Field(&Fault::message, HasSubstr("to swapSoftGracePeriod"))));
  const ThresholdParsing soft =
      ParseThresholds(kSwapSettings, {.hard = {},
                                      .soft = {{"swap.available", "20%"}},
                                      .soft_grace_period = {{"swap.available", "2m"}}});
  EXPECT_THAT(soft.faults, IsEmpty());
  EXPECT_EQ(soft.thresholds.at(0).grace_period, std::chrono::minutes(2));
}

TEST(OwnThresholds, EverySignalIsSetInTheMapsOfTheKubeletOrOfOneKind) {
  for (const Signal signal : kAllSignals) {
    const auto kinds = std::ranges::count_if(OwnSignalMaps(), [signal](const SignalMaps& own) {
      return std::ranges::find(own.signals, signal) != own.signals.end();
    });
    EXPECT_EQ(kinds, RowOf(signal).of_kubelet ? 0 : 1) << NameOf(signal);
  }
}

}  // namespace
}  // namespace jettison
