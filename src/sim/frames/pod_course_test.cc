#include "sim/frames/pod_course.h"

#include <gtest/gtest.h>

#include <algorithm>
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
  EXPECT_EQ(course.Growth(), 10) << "what it took at its start is no growth";
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

TEST(RecordedCourse, APodGoesOnLikeTheLifeBeforeWhereThatOneReachedFurther) {
  RecordedCourse course;
  for (int s = 0; s <= 20; s += 10) course.Seen(std::min(100 + s * 10, 200), kBegin + seconds(s));
  course.Ended();
  course.Seen(50, kBegin + seconds(40), kBegin + seconds(30));
  course.Seen(150, kBegin + seconds(50), kBegin + seconds(40));
  const auto like = course.GoingOn(150, kBegin + seconds(50));
  EXPECT_EQ(like.life, 0U);
  EXPECT_EQ(course.AmountAtAge(like.life, seconds(60) - seconds(50) + seconds(10)), 200);
  const auto further = course.GoingOn(250, kBegin + seconds(50));
  EXPECT_EQ(further.life, 1U) << "no life held as much";
}

}  // namespace
}  // namespace jettison
