#include <gtest/gtest.h>

#include <random>

#include "core/thresholds/threshold_parsing.h"
#include "core/thresholds/threshold_settings.h"

namespace jettison {
namespace {

ThresholdValue ParsedValue(const std::string& text) {
  EvictionSettings settings;
  settings.hard = {{"nodefs.available", text}};
  const ThresholdParsing parsing = ParseThresholds(settings);
  EXPECT_TRUE(parsing.faults.empty()) << text;
  return parsing.thresholds.at(0).value;
}

TEST(ThresholdText, IsWhatAnOperatorWouldWrite) {
  for (const char* text : {"10%", "5%", "15%", "12.5%", "0.1%", "33.3%", "100Mi", "1Gi", "500M"}) {
    EXPECT_EQ(ThresholdText(ParsedValue(text)), text);
  }
}

TEST(ThresholdText, ReadsBackToTheSameBits) {
  std::mt19937 random(7);
  for (int i = 0; i < 2'000; ++i) {
    const auto tried = static_cast<float>(random() % 99'999'999 + 1) / 1e6F;
    const Percentage percentage{tried / 100};
    const std::string text = ThresholdText(percentage);
    if (text == "100%") continue;  // switches the threshold off
    ASSERT_EQ(std::get<Percentage>(ParsedValue(text)), percentage) << text;
  }
}

}  // namespace
}  // namespace jettison
