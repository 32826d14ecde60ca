#include "api/metrics/metrics.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <vector>

#include "core/shadow/shadow_book.h"
#include "tests/synthetic_snapshot.h"

namespace jettison {
namespace {

using testing::HasSubstr;
using testing::Not;

constexpr std::size_t kMemory = static_cast<std::size_t>(Signal::kMemoryAvailable);

// The lines that are samples of this series, without its name.
std::vector<std::string> Samples(const std::string& text, const std::string& name) {
  std::vector<std::string> found;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = text.find('\n', at);
    const std::string line = text.substr(at, end - at);
    const bool named =
        line.starts_with(name) && (line[name.size()] == ' ' || line[name.size()] == '{');
    if (named) found.push_back(line.substr(name.size()));
    at = end + 1;
  }
  return found;
}

void Count(Snapshot& snapshot, void (*change)(NodeCounters&)) {
  auto counters = std::make_shared<NodeCounters>();
  change(*counters);
  snapshot.counters = std::move(counters);
}

TEST(MetricsText, AnEmptySnapshotHasFamiliesAndNothingMadeUp) {
  const std::string text = MetricsText({});
  EXPECT_THAT(text, HasSubstr("# TYPE jettison_signal_available gauge\n"));
  for (const char* name :
       {"jettison_signal_available", "jettison_last_pass_timestamp_seconds", "kubelet_node_name",
        "jettison_cluster_evictions_under_way", "jettison_cluster_events_dropped_total",
        "jettison_shadow_agreements_total"}) {
    EXPECT_TRUE(Samples(text, name).empty()) << name;
  }
}

TEST(MetricsText, ADryRunBesideTheKubeletIsComparedAndAClusterTold) {
  Snapshot snapshot = SyntheticSnapshot(1);
  ShadowView shadow;
  shadow.counters.Count({.verdict = ShadowVerdict::kAgreed, .lead = std::chrono::seconds(3)});
  shadow.counters.Count({.verdict = ShadowVerdict::kLate, .lead = -std::chrono::seconds(1)});
  snapshot.shadow = std::make_shared<const ShadowView>(shadow);
  snapshot.cluster = {.evictions_under_way = 2, .events_dropped = 7};
  const std::string text = MetricsText(snapshot);
  EXPECT_THAT(Samples(text, "jettison_cluster_evictions_under_way"), testing::ElementsAre(" 2"));
  EXPECT_THAT(Samples(text, "jettison_cluster_events_dropped_total"), testing::ElementsAre(" 7"));
  EXPECT_THAT(Samples(text, "jettison_shadow_agreements_total"), testing::ElementsAre(" 1"));
  EXPECT_THAT(Samples(text, "jettison_shadow_disagreements_total"),
              testing::ElementsAre("{kind=\"late\"} 1", "{kind=\"otherVictim\"} 0",
                                   "{kind=\"oursAlone\"} 0", "{kind=\"kubeletsAlone\"} 0"));
  EXPECT_THAT(text, HasSubstr("jettison_shadow_lead_seconds_bucket{le=\"2\"} 0\n"));
  EXPECT_THAT(text, HasSubstr("jettison_shadow_lead_seconds_bucket{le=\"5\"} 1\n"));
  EXPECT_THAT(text, HasSubstr("jettison_shadow_lead_seconds_sum 3\n"));
}

TEST(MetricsText, EvictionsAreThoseOfTheKubelet) {
  Snapshot snapshot = SyntheticSnapshot(1);
  Count(snapshot, [](NodeCounters& counters) {
    counters.passes.evictions[kMemory] = 18;
    for (int i = 0; i < 18; ++i) {
      counters.passes.stats_age[kMemory].Observe(std::chrono::milliseconds(i < 10 ? 7 : 20));
    }
  });
  const std::string text = MetricsText(snapshot);
  // As the kubelet wrote it in shared/real/metrics.txt.
  EXPECT_THAT(text, HasSubstr("\nkubelet_evictions{eviction_signal=\"memory.available\"} 18\n"));
  for (const char* bucket : {"\"0.005\"} 0", "\"0.01\"} 10", "\"0.025\"} 18", "\"0.05\"} 18",
                             "\"0.1\"} 18", "\"0.25\"} 18", "\"0.5\"} 18", "\"1\"} 18",
                             "\"2.5\"} 18", "\"5\"} 18", "\"10\"} 18", "\"+Inf\"} 18"}) {
    EXPECT_THAT(text, HasSubstr("kubelet_eviction_stats_age_seconds_bucket{eviction_signal="
                                "\"memory.available\",le=" +
                                std::string(bucket) + "\n"));
  }
  EXPECT_THAT(text, HasSubstr("kubelet_eviction_stats_age_seconds_count{eviction_signal="
                              "\"memory.available\"} 18\n"));
}

TEST(MetricsText, ASeriesThatMayCountIsThereFromTheStart) {
  const std::string text = MetricsText(SyntheticSnapshot(1));
  EXPECT_THAT(text, HasSubstr("kubelet_evictions{eviction_signal=\"emptydirfs.limit\"} 0\n"));
  EXPECT_THAT(text, HasSubstr("kubelet_evictions{eviction_signal=\"nodefs.available\"} 0\n"));
  EXPECT_THAT(text, HasSubstr("kubelet_admission_rejections_total{reason=\"OutOfmemory\"} 0\n"));
  EXPECT_THAT(text, Not(HasSubstr("eviction_signal=\"io.pressure")));
}

TEST(MetricsText, PodsCountByWhereTheyComeFromAndWhatTheyAreAt) {
  Snapshot snapshot = SyntheticSnapshot(3);
  snapshot.pods[0].activity = PodActivity::kTerminating;
  snapshot.pods[1].wanted = false;
  snapshot.pods[1].foreign = true;
  snapshot.pods[2].activity = PodActivity::kWaiting;
  snapshot.pods[2].status.containers.clear();
  const std::string text = MetricsText(snapshot);
  EXPECT_THAT(text, HasSubstr("kubelet_desired_pods{static=\"\"} 2\n"));
  EXPECT_THAT(text, HasSubstr("kubelet_active_pods{static=\"\"} 2\n"));
  EXPECT_THAT(text, HasSubstr("kubelet_working_pods{config=\"desired\",lifecycle=\"terminating\","
                              "static=\"\"} 1\n"));
  EXPECT_THAT(text, HasSubstr("kubelet_working_pods{config=\"runtime_only\",lifecycle=\"sync\","
                              "static=\"unknown\"} 1\n"));
  EXPECT_THAT(text, HasSubstr("kubelet_running_pods 2\n"));
  EXPECT_THAT(text, HasSubstr("jettison_pods{activity=\"waiting\"} 1\n"));
}

TEST(MetricsText, AThresholdStandsBesideItsSignalInTheSameUnit) {
  Snapshot snapshot = SyntheticSnapshot(1);
  snapshot.thresholds[2].time_to = std::chrono::milliseconds(1500);
  auto summary = std::make_shared<Summary>(*snapshot.summary);
  summary->node.memory->available_bytes = 123456;  // not as of the last pass
  snapshot.summary = std::move(summary);
  const std::string text = MetricsText(snapshot);
  EXPECT_THAT(text, HasSubstr("jettison_signal_available{signal=\"memory.available\"} 123456\n"));
  EXPECT_THAT(text, HasSubstr("jettison_threshold_amount{kind=\"hard\","
                              "signal=\"memory.available\"} 104857600\n"));
  EXPECT_THAT(text,
              HasSubstr("jettison_threshold_met{kind=\"hard\",signal=\"memory.available\"} 1\n"));
  // 10% of 100 GiB, as the kubelet rounds it.
  EXPECT_THAT(text, HasSubstr("jettison_threshold_amount{kind=\"hard\",signal=\"nodefs.available\"}"
                              " 10737418400\n"));
  EXPECT_THAT(text, HasSubstr("jettison_time_to_threshold_seconds{kind=\"hard\","
                              "signal=\"nodefs.available\"} 1.5\n"));
  EXPECT_THAT(text, HasSubstr("jettison_node_condition{condition=\"MemoryPressure\"} 1\n"));
}

TEST(MetricsText, NoSeriesIsThereTwice) {
  Snapshot snapshot = SyntheticSnapshot(4);
  // A foreign one of the same name: the pod between them has its name, and more ("web", "web-1").
  snapshot.pods[2] = snapshot.pods[0];
  snapshot.thresholds.push_back(snapshot.thresholds[1]);
  const std::string text = MetricsText(snapshot);
  std::vector<std::string> series;
  for (std::size_t at = 0; at < text.size(); at = text.find('\n', at) + 1) {
    const std::string line = text.substr(at, text.find('\n', at) - at);
    if (!line.starts_with('#')) series.push_back(line.substr(0, line.rfind(' ')));
  }
  std::ranges::sort(series);
  EXPECT_EQ(std::ranges::adjacent_find(series), series.end());
}

TEST(MetricsText, APodTellsWhatItIsAndWhatItHasOnDiskByKind) {
  Snapshot snapshot = SyntheticSnapshot(1);
  auto summary = std::make_shared<Summary>(*snapshot.summary);
  PodStats& stats = summary->pods[0];
  stats.containers = {{.name = "a", .rootfs = FsUsage{100, 1}, .logs = FsUsage{10, 2}},
                      {.name = "b", .rootfs = FsUsage{200, 3}}};
  stats.volumes = {{.name = "scratch", .usage = {7, 8}}, {.name = "remote", .usage = {1000, 1}}};
  snapshot.summary = summary;
  auto facts = std::make_shared<PodFacts>(*snapshot.pods[0].facts);
  facts->local_volumes = {"scratch"};
  facts->memory_request = Nanos{64 << 20} * kNanosPerUnit;
  facts->ephemeral_storage_request = 0;
  snapshot.pods[0].facts = facts;
  snapshot.pods[0].protection = Protection::kSpared;
  snapshot.pods[0].oom_kills = 2;
  const std::string text = MetricsText(snapshot);
  for (const char* sample : {R"(kind="rootfs"} 300)", R"(kind="logs"} 10)", R"(kind="volumes"} 7)",
                             R"(kind="rootfs"} 4)", R"(kind="volumes"} 8)",
                             R"(resource="memory"} 67108864)", R"(protection="none")"}) {
    EXPECT_THAT(text, HasSubstr(sample));
  }
  EXPECT_EQ(Samples(text, "jettison_pod_disk_used_bytes").size(), 3U);
  EXPECT_EQ(Samples(text, "jettison_pod_request_bytes").size(), 1U);
  EXPECT_THAT(Samples(text, "jettison_pod_oom_kills_total"),
              testing::ElementsAre(testing::EndsWith(" 2")));
}

TEST(MetricsText, TheProcessHasTheNamesOfEveryClientLibrary) {
  const OwnProcess process{.cpu = std::chrono::milliseconds(1500),
                           .resident_bytes = 4096,
                           .virtual_bytes = 8192,
                           .open_fds = 7};
  Snapshot snapshot = SyntheticSnapshot(1);
  auto node = std::make_shared<NodeIdentity>(*snapshot.node);
  node->started_at = Instant(std::chrono::milliseconds(2500));
  snapshot.node = node;
  const std::string text = MetricsText(snapshot, Instant::min(), &process);
  EXPECT_THAT(text, HasSubstr("\nprocess_cpu_seconds_total 1.5\n"));
  EXPECT_THAT(text, HasSubstr("\nprocess_resident_memory_bytes 4096\n"));
  EXPECT_THAT(text, HasSubstr("\nprocess_open_fds 7\n"));
  EXPECT_THAT(text, HasSubstr("\nprocess_start_time_seconds 2.5\n"));
  EXPECT_TRUE(Samples(text, "process_max_fds").empty());
}

}  // namespace
}  // namespace jettison
