#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

#include "core/units/duration.h"

namespace jettison {
namespace {

TEST(DurationConformance, EveryRecordedDurationIsReadAndWrittenAsGoDoes) {
  std::ifstream file(JETTISON_VECTORS "/durations.ndjson");
  int records = 0;
  for (std::string line; std::getline(file, line); ++records) {
    const auto record = nlohmann::json::parse(line);
    SCOPED_TRACE(line);
    const auto duration = ParseDuration(record.at("in").get<std::string>());
    ASSERT_EQ(duration.has_value(), record.at("ok").get<bool>());
    if (!duration) continue;
    EXPECT_EQ(std::to_string(duration->count()), record.at("nanoseconds").get<std::string>());
    EXPECT_EQ(FormatDuration(*duration), record.at("canonical").get<std::string>());
  }
  EXPECT_EQ(records, 185);
}

}  // namespace
}  // namespace jettison
