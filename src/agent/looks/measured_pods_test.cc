#include "agent/looks/measured_pods.h"

#include <gtest/gtest.h>

namespace jettison {
namespace {

const Instant kNow{std::chrono::hours(1)};

std::vector<PodStats> Marked(const MeasuredPods& pods, const DiskUse* disk) {
  std::vector<PodStats> stats(1);
  stats[0].uid = "pod";
  pods.MarkStale(disk, stats);
  return stats;
}

TEST(MeasuredPods, AFigureDecidesOnceAsMeasuredForThePass) {
  MeasuredPods pods;
  DiskUse disk;
  disk["pod"].measured_at = kNow;
  EXPECT_FALSE(Marked(pods, &disk)[0].stale_disk);
  pods.Take({}, disk, kNow);
  EXPECT_EQ(Marked(pods, &disk)[0].stale_disk->measured_at, kNow);
  pods.Forget("pod");
  EXPECT_FALSE(Marked(pods, &disk)[0].stale_disk) << "another pod under the same UID";
}

TEST(MeasuredPods, AWalkThatWasNotOverAndNoneAtAllAreToldApart) {
  const MeasuredPods pods;
  DiskUse disk;
  disk["pod"] = {.measured_at = kNow, .partial = true};
  EXPECT_EQ(Marked(pods, &disk)[0].stale_disk->measured_at, kNow);
  EXPECT_EQ(Marked(pods, nullptr)[0].stale_disk->measured_at, std::nullopt);
  const DiskUse of_others;
  EXPECT_EQ(Marked(pods, &of_others)[0].stale_disk->measured_at, std::nullopt);
}

}  // namespace
}  // namespace jettison
