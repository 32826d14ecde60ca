#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string_view>
#include <tuple>

#include "sim/imported/testing/test_cluster.h"

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

// Scrapes a figure of the pod "calm" from one second up to another one.
void Scrape(Cluster& cluster, const char* name, double mi, int from, int to, Labels labels = {}) {
  labels.merge(Labels{{"node", "a"}, {"namespace", "ns"}, {"pod", "calm"}});
  cluster.Scrape(name, labels, 7, [=](int s) {
    return from <= s && s <= to ? std::optional(mi * kMi) : std::nullopt;
  });
}

TEST(ImportedPods, TheBestFigureThatThereIsCounts) {
  struct Row {
    const char* memory;
    const char* disk;
    const char* processes;
    double memory_mi;
    double disk_mi;
    std::uint64_t tasks;
  };
  Cluster cluster;
  cluster.Erase("pod_memory_working_set_bytes");
  for (const Row& row :
       {Row{"container_memory_working_set_bytes", "container_fs_usage_bytes", "container_threads",
            300, 1, 3},
        Row{"pod_memory_working_set_bytes", nullptr, nullptr, 320, 1, 3},
        Row{"jettison_pod_memory_working_set_bytes", "jettison_pod_disk_used_bytes",
            "jettison_pod_processes", 310, 2, 4}}) {
    const bool of_container = std::string_view(row.memory).starts_with("container");
    const Labels labels = of_container ? Labels{{"container", "c"}} : Labels{};
    Scrape(cluster, row.memory, row.memory_mi, 0, 1200, labels);
    if (row.disk != nullptr) {
      Labels kind = labels;
      if (!of_container) kind["kind"] = "rootfs";
      Scrape(cluster, row.disk, row.disk_mi, 0, 1200, kind);
      Scrape(cluster, row.processes, static_cast<double>(row.tasks) / kMi, 0, 1200, labels);
    }
    Recording recording;
    ASSERT_TRUE(cluster.Import(recording));
    const auto calm = CalmAt(recording, 600);
    ASSERT_TRUE(calm) << row.memory;
    EXPECT_EQ(calm->memory_working_set_bytes, static_cast<std::uint64_t>(row.memory_mi * kMi));
    ASSERT_TRUE(calm->ephemeral_storage);
    EXPECT_EQ(calm->ephemeral_storage->used_bytes, static_cast<std::uint64_t>(row.disk_mi * kMi));
    EXPECT_EQ(calm->process_count, row.tasks);
  }
}

TEST(ImportedPods, AStaticPodIsNeverEvicted) {
  Cluster cluster;
  cluster.Erase("kube_pod_info");
  for (const auto& [pod, uid, owner] :
       {std::tuple("calm", "u2", "Node"), std::tuple("leak", "u1", "ReplicaSet")}) {
    cluster.Scrape("kube_pod_info",
                   {{"namespace", "ns"}, {"pod", pod}, {"uid", uid}, {"created_by_kind", owner}}, 8,
                   [](int) { return 1; });
  }
  Recording recording;
  ASSERT_TRUE(cluster.Import(recording));
  for (const auto& facts : recording.Passes()[10]->pods) {
    EXPECT_EQ(facts->protection,
              facts->pod.name == "calm" ? Protection::kCritical : Protection::kNone);
  }
}

TEST(ImportedPods, MemoryWithoutAUidBelongsToThePodOfThatNameThatIsTheLastToHaveBegun) {
  Cluster cluster;
  cluster.Cut("kube_pod_info", 300, 2000);
  cluster.Scrape("kube_pod_info",
                 {{"node", "a"}, {"namespace", "ns"}, {"pod", "calm"}, {"uid", "u3"}}, 8,
                 [](int s) { return s < 600 ? std::nullopt : std::optional(1.0); });
  Recording recording;
  ASSERT_TRUE(cluster.Import(recording));
  for (const auto& pass : recording.Passes()) {
    const std::string expected = pass->report.at < At(608) ? "u2" : "u3";
    std::vector<std::string> told;
    for (const PodStats& pod : pass->summary.pods) {
      if (pod.name == "calm") told.push_back(pod.uid);
    }
    // Before the first sample of its memory nobody is there, and about the change both may be.
    const bool is_unclear = pass->report.at > At(590) && pass->report.at < At(630);
    if (pass->report.at < At(3) || is_unclear) continue;
    EXPECT_THAT(told, testing::ElementsAre(expected)) << FormatInstant(pass->report.at);
  }
}

}  // namespace
}  // namespace jettison
