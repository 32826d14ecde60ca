#include <gtest/gtest.h>

#include <chrono>

#include "sim/report/simulation_report.h"

namespace jettison {
namespace {

using std::chrono::seconds;

constexpr Instant kStart{std::chrono::hours(24)};

SimulatedEviction Said(std::string uid, int earliest, int at, int latest) {
  return {.uid = std::move(uid),
          .pod = "",
          .when = {kStart + seconds(earliest), kStart + seconds(at), kStart + seconds(latest)},
          .limit = {}};
}

SimulatedEviction Truth(std::string uid, int at) {
  return Said(std::move(uid), at, at, at);
}

TEST(Calibration, CountsWhatWasFoundMissedAndFalse) {
  const auto result =
      Compare({Truth("a", 10), Truth("b", 20), Truth("c", 30)},
              {Said("a", 9, 11, 12), Said("b", 24, 25, 26), Said("d", 1, 2, 3)}, seconds(6));
  EXPECT_EQ(result.truths, 3U);
  EXPECT_EQ(result.said, 3U);
  EXPECT_EQ(result.found, 2U);
  EXPECT_EQ(result.inside, 1U);
  EXPECT_EQ(result.MedianError(), seconds(1)) << "half of the errors are not larger";
  EXPECT_EQ(result.WorstError(), seconds(5));
  EXPECT_DOUBLE_EQ(*result.Recall(), 2.0 / 3);
  EXPECT_DOUBLE_EQ(*result.Precision(), 2.0 / 3);
  EXPECT_DOUBLE_EQ(*result.Coverage(), 0.5);
}

TEST(Calibration, BoundsOfMoreThanAMinuteAreNotKnownAndFindNothing) {
  const auto result = Compare(
      {Truth("a", 100), Truth("b", 200)},
      {Said("a", 70, 100, 131), Said("b", 170, 200, 230), Said("c", 0, 1, 3600)}, seconds(2));
  EXPECT_EQ(result.unknown, 2U);
  EXPECT_EQ(result.found, 1U);
  EXPECT_DOUBLE_EQ(*result.Recall(), 0.5);
  EXPECT_DOUBLE_EQ(*result.Precision(), 1);
}

}  // namespace
}  // namespace jettison
