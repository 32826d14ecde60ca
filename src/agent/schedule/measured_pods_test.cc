#include "agent/schedule/measured_pods.h"

#include <gtest/gtest.h>

namespace jettison {
namespace {

const Instant kMeasuredAt{std::chrono::hours(1)};

std::vector<PodStats> Marked(const MeasuredPods& pods, const DiskUse* disk,
                             bool age_counts = true) {
  std::vector<PodStats> stats(1);
  stats[0].uid = "pod";
  pods.MarkStale(disk, age_counts, stats);
  return stats;
}

TEST(MeasuredPods, AFigureDecidesOnceAsMeasuredForThePass) {
  MeasuredPods pods;
  DiskUse disk;
  disk["pod"].measured_at = kMeasuredAt;
  EXPECT_FALSE(Marked(pods, &disk)[0].stale_disk);
  pods.Take({}, disk, kMeasuredAt);
  EXPECT_EQ(Marked(pods, &disk)[0].stale_disk->measured_at, kMeasuredAt);
  EXPECT_FALSE(Marked(pods, &disk, false)[0].stale_disk) << "where the age does not count";
  pods.Forget("pod");
  EXPECT_FALSE(Marked(pods, &disk)[0].stale_disk) << "a different pod with the same UID";
}

TEST(MeasuredPods, AWalkThatWasNotOverAndNoneAtAllAreToldApart) {
  const MeasuredPods pods;
  DiskUse disk;
  disk["pod"] = {.measured_at = kMeasuredAt, .partial = true};
  EXPECT_EQ(Marked(pods, &disk)[0].stale_disk->measured_at, kMeasuredAt);
  EXPECT_EQ(Marked(pods, nullptr)[0].stale_disk->measured_at, std::nullopt);
  const DiskUse of_others;
  EXPECT_EQ(Marked(pods, &of_others)[0].stale_disk->measured_at, std::nullopt);
}

}  // namespace
}  // namespace jettison
