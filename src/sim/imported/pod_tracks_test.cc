#include "sim/imported/pod_tracks.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sim/imported/test_cluster.h"

namespace jettison {
namespace {

using test_cluster::At;
using test_cluster::Cluster;
using test_cluster::kMi;
using test_cluster::Labels;
using test_cluster::Recording;

// The figures of the pod "calm" at a moment of the recording.
std::optional<PodStats> CalmAt(const Recording& recording, double s) {
  for (const auto& pass : recording.Passes()) {
    if (pass->report.at != At(s)) continue;
    const auto& pods = pass->summary.pods;
    const auto found = std::ranges::find(pods, "calm", &PodStats::name);
    if (found != pods.end()) return *found;
  }
  return std::nullopt;
}

// The group has the threads of the pause container as well.
TEST(PodTracks, TheThreadsOfThePodsGroupAreNotAddedToThoseOfItsContainers) {
  Cluster cluster;
  const auto scrape = [&](const char* container, double threads) {
    Labels labels = {{"node", "a"}, {"namespace", "ns"}, {"pod", "calm"}};
    if (*container != '\0') labels["container"] = container;
    cluster.Scrape("container_threads", labels, 6, [=](int) { return threads; });
  };
  scrape("c", 11);
  scrape("sidecar", 1);
  Recording recording;
  ASSERT_TRUE(cluster.Import(recording));
  EXPECT_EQ(CalmAt(recording, 300)->process_count, 12U) << "without the group they are added";
  scrape("", 13);
  Recording other;
  ASSERT_TRUE(cluster.Import(other));
  EXPECT_EQ(CalmAt(other, 300)->process_count, 13U);
}

}  // namespace
}  // namespace jettison
