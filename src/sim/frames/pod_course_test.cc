#include "sim/frames/pod_course.h"

#include <gtest/gtest.h>

#include <chrono>

namespace jettison {
namespace {

using std::chrono::seconds;

constexpr Instant kBegin{std::chrono::hours(1)};

TEST(RecordedCourse, ALifeIsRepeatedByItsAgeAndGoesOnAsItGrewAtItsEnd) {
  RecordedCourse course;
  course.Seen(100, kBegin);
  course.Seen(200, kBegin + seconds(10));
  EXPECT_EQ(course.AmountAtAge(0, seconds(0)), 100);
  EXPECT_EQ(course.AmountAtAge(0, seconds(5)), 150);
  EXPECT_EQ(course.AmountAtAge(0, seconds(20)), 300);
}

TEST(RecordedCourse, ALifeThatBeganBetweenTwoFramesBeganWithNothing) {
  RecordedCourse course;
  course.Seen(3000, kBegin + seconds(30), kBegin);
  course.Seen(3300, kBegin + seconds(60), kBegin + seconds(30));
  EXPECT_EQ(course.AmountAtAge(0, seconds(0)), 0);
  EXPECT_EQ(course.AmountAtAge(0, seconds(10)), 1000);
  EXPECT_EQ(course.AmountAtAge(0, seconds(30)), 3000);
  EXPECT_EQ(course.Growth().likely, 10) << "what it took at its start is no growth";
}

TEST(RecordedCourse, ThePodThatComesBackBeginsAnotherLife) {
  RecordedCourse course;
  course.Seen(100, kBegin);
  course.Seen(200, kBegin + seconds(10));
  course.Ended();
  course.Seen(60, kBegin + seconds(40), kBegin + seconds(10));
  EXPECT_EQ(course.life(), 1U);
  EXPECT_EQ(course.AmountAtAge(1, seconds(15)), 30);
  EXPECT_EQ(course.AmountAtAge(0, seconds(5)), 150);
}

}  // namespace
}  // namespace jettison
