#include "sim/series/node_courses.h"

#include <gtest/gtest.h>

namespace jettison {
namespace {

using std::chrono::seconds;

const Instant kThen(std::chrono::hours(500'000));

TEST(SignalCourse, AShortOneHasEachSecondByItself) {
  SignalCourse course;
  course.Add(kThen, 7);
  course.Add(kThen + std::chrono::milliseconds(400), 5);
  course.Add(kThen + seconds(2), 9);
  ASSERT_EQ(course.stretches().size(), 3U);
  EXPECT_EQ(course.stretches()[0]->least, 5);
  EXPECT_EQ(course.stretches()[0]->most, 7);
  EXPECT_FALSE(course.stretches()[1]);
  EXPECT_EQ(course.stretches()[2]->least, 9);
}

TEST(SignalCourse, AWeekTakesNoMoreThanItsStretchesAndLosesNoExtreme) {
  SignalCourse course;
  constexpr int kPasses = 60'480;
  for (int i = 0; i < kPasses; ++i) course.Add(kThen + seconds(10 * i), i == 31'234 ? -5 : 100);
  EXPECT_LE(course.stretches().size(), SignalCourse::kMostStretches);
  EXPECT_GT(course.stretches().size(), SignalCourse::kMostStretches / 2);
  EXPECT_EQ(course.extremes().least, -5);
  const auto place = static_cast<std::size_t>(seconds(312'340) / course.width());
  EXPECT_EQ(course.stretches()[place]->least, -5);
  EXPECT_EQ(course.stretches()[place]->most, 100);
}

TEST(SignalCourse, AFigureFromBeforeItBeganIsLeftOut) {
  SignalCourse course;
  course.Add(kThen, 7);
  course.Add(kThen - seconds(1), 5);
  EXPECT_EQ(course.stretches().size(), 1U);
  EXPECT_EQ(course.extremes().least, 7);
}

}  // namespace
}  // namespace jettison
