#include "kernel/psi/pressure.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>
#include <string>

namespace jettison::psi {
namespace {

using testing::HasSubstr;

std::string Recorded(const std::string& name) {
  std::stringstream text;
  text << std::ifstream(JETTISON_ROOM_TESTDATA "/" + name).rdbuf();
  return text.str();
}

TEST(ParsePressure, ReadsWhatKernelsWrite) {
  struct Row {
    const char* file;
    StallLine some;
    std::optional<StallLine> full;
  };
  const Row rows[] = {
      {"6.18-memory", {0, 0, 0, 46639}, StallLine{0, 0, 0, 15799}},
      {"6.18-io", {0, 0, 13, 81458482}, StallLine{0, 0, 0, 22455584}},
      {"6.18-cpu", {9923, 9930, 9190, 6390005784}, StallLine{0, 0, 0, 0}},
      {"all-stalled", {10000, 9987, 5001, 600000000}, StallLine{9999, 9000, 4800, 590000000}},
      {"no-full", {105, 61, 40, 18446744073709551615U}, std::nullopt},
  };
  for (const Row& row : rows) {
    const auto pressure = ParsePressure(Recorded(row.file));
    ASSERT_TRUE(pressure) << row.file << ": " << pressure.error().message;
    EXPECT_EQ(pressure->some, row.some) << row.file;
    EXPECT_EQ(pressure->full, row.full) << row.file;
  }
}

TEST(ParsePressure, RefusesWhatTheKernelWouldNotWrite) {
  struct Row {
    std::string text;
    const char* told;
  };
  const std::string good = "avg10=0.00 avg60=0.00 avg300=0.00 total=0";
  const Row rows[] = {
      {"", "expected a line some"},
      {"\n", "expected a line some"},
      {"full " + good + "\n", "expected a line some"},
      {"some " + good, "expected whole lines"},
      {"some " + good + "\nfull avg10=0.0", "expected whole lines"},
      {"some " + good + "\nsome " + good + "\n", "one line some"},
      {"some avg10=0.00 avg60=0.00 avg300=0.00\n", "some: expected avg10="},
      {"some " + good + "\nfull \n", "full: expected avg10="},
      {"some avg10=0.0 avg60=0.00 avg300=0.00 total=0\n", "expected avg10="},
      {"some avg10=0.000 avg60=0.00 avg300=0.00 total=0\n", "expected avg10="},
      {"some avg10=.00 avg60=0.00 avg300=0.00 total=0\n", "expected avg10="},
      {"some avg10=-1.00 avg60=0.00 avg300=0.00 total=0\n", "expected avg10="},
      {"some avg10=100.01 avg60=0.00 avg300=0.00 total=0\n", "expected avg10="},
      {"some avg10=nan avg60=0.00 avg300=0.00 total=0\n", "expected avg10="},
      {"some avg10=0.00 avg60=0.00 avg300=0.00 total=18446744073709551616\n", "expected avg10="},
      {"some avg10=0.00 avg60=0.00 avg300=0.00 total=0x1\n", "expected avg10="},
      {std::string("some avg10=0.00\0 avg60=0.00", 27) + good + "\n", "expected avg10="},
  };
  for (const Row& row : rows) {
    const auto pressure = ParsePressure(row.text);
    ASSERT_FALSE(pressure) << row.text;
    EXPECT_EQ(pressure.error().code, ErrorCode::kInternal);
    EXPECT_THAT(pressure.error().message, HasSubstr(row.told)) << row.text;
  }
}

}  // namespace
}  // namespace jettison::psi
