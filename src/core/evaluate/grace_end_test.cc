#include <gtest/gtest.h>

#include <array>

#include "core/evaluate/evaluate.h"

namespace jettison {
namespace {

using std::chrono::seconds;

const Instant kNow{std::chrono::hours(1)};

TEST(GraceEnd, IsTheSoonestOfThoseThatAreMetAndNotOverdue) {
  const std::array<Threshold, 3> thresholds = {
      {{.signal = Signal::kMemoryAvailable, .grace_period = seconds(60)},
       {.signal = Signal::kNodeFsAvailable, .grace_period = seconds(30)},
       {.signal = Signal::kPidAvailable, .grace_period = seconds(10)}}};
  Evaluation evaluation;
  evaluation.next.first_observed_at.fill(kNow);
  EXPECT_EQ(NextGraceEnd(thresholds, evaluation), std::nullopt) << "no threshold is met";
  evaluation.met.set();
  evaluation.overdue[2] = true;
  EXPECT_EQ(NextGraceEnd(thresholds, evaluation), kNow + seconds(30));
}

TEST(GraceEnd, OfAPeriodLongerThanTimeIsNeverOver) {
  const std::array<Threshold, 1> thresholds = {
      {{.signal = Signal::kMemoryAvailable, .grace_period = Duration::max()}}};
  Evaluation evaluation;
  evaluation.next.first_observed_at.fill(kNow);
  evaluation.met.set();
  EXPECT_EQ(NextGraceEnd(thresholds, evaluation), Instant::max());
}

}  // namespace
}  // namespace jettison
