#include "agent/looks/rest_readings.h"

#include <gtest/gtest.h>

namespace jettison {
namespace {

using std::chrono::milliseconds;

const Instant kReadAt{std::chrono::hours(1)};

TEST(RestReadings, APassThatIsAboutNothingOfMemoryReadsThem) {
  RestReadings rest;
  rest.Read(kReadAt);
  EXPECT_FALSE(rest.LeaveOut({.now = kReadAt}));
}

TEST(RestReadings, APassThatActsForMemoryLeavesThemOutButNotTwiceRunning) {
  RestReadings rest;
  rest.Read(kReadAt);
  EXPECT_TRUE(rest.LeaveOut({.acts_for_memory = true, .now = kReadAt}));
  EXPECT_FALSE(rest.LeaveOut({.acts_for_memory = true, .now = kReadAt}));
  EXPECT_TRUE(rest.LeaveOut({.acts_for_memory = true, .now = kReadAt})) << "they have been read";
  rest.Read(kReadAt);
  EXPECT_TRUE(rest.LeaveOut({.acts_for_memory = true, .now = kReadAt})) << "by another pass";
}

TEST(RestReadings, NearAThresholdTheyAreReadEveryThirtyMilliseconds) {
  RestReadings rest;
  rest.Read(kReadAt);
  EXPECT_TRUE(rest.LeaveOut({.is_near = true, .now = kReadAt + milliseconds(29)}));
  EXPECT_FALSE(rest.LeaveOut({.is_near = true, .now = kReadAt + milliseconds(30)}));
  EXPECT_TRUE(rest.LeaveOut({.is_near = true, .now = kReadAt + milliseconds(59)}));
  EXPECT_FALSE(rest.LeaveOut({.is_near = true, .now = kReadAt + milliseconds(60)}));
}

TEST(RestReadings, NearAThresholdTheyAreReadThatHaveNeverBeenRead) {
  RestReadings rest;
  EXPECT_FALSE(rest.LeaveOut({.is_near = true, .now = kReadAt}));
}

}  // namespace
}  // namespace jettison
