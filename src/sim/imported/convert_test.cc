#include "sim/imported/convert.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <string_view>
#include <tuple>

#include "sim/imported/testing/test_cluster.h"
#include "sim/whatif/whatif.h"

namespace jettison {
namespace {

using std::chrono::seconds;
using test_cluster::At;
using test_cluster::Cluster;
using test_cluster::kMi;
using test_cluster::Labels;
using test_cluster::NotesOf;
using test_cluster::Recording;
using testing::AllOf;
using testing::Contains;
using testing::HasSubstr;
using testing::Not;

TEST(Import, APassIsMadeAtEachSampleOfTheNodesMemoryWithFiguresOfThatMoment) {
  Recording recording;
  const auto summary = Cluster().Import(recording);
  ASSERT_TRUE(summary) << summary.error().message;
  EXPECT_EQ(summary->passes, 82U) << "81 samples and an eviction";
  EXPECT_EQ(summary->step, seconds(15));
  const auto passes = recording.Passes();
  const RecordedPass& pass = *passes[10];
  EXPECT_EQ(pass.report.at, At(150));
  EXPECT_EQ(pass.report.observations[Signal::kMemoryAvailable]->available,
            static_cast<std::int64_t>(375 * kMi));
  ASSERT_EQ(pass.pods.size(), 2U);
  EXPECT_EQ(pass.pods[1]->pod.name, "leak");
  EXPECT_EQ(pass.pods[1]->memory_request, Nanos(100 << 20) * kNanosPerUnit);
  // Scraped at 138 s and 153 s, and interpolated.
  EXPECT_NEAR(static_cast<double>(*pass.summary.pods[1].memory_working_set_bytes), 175 * kMi, 2);
}

TEST(Import, AnEvictionIsAPassOfItsOwnBetweenTheTwoSamples) {
  Recording recording;
  const auto summary = Cluster().Import(recording);
  ASSERT_TRUE(summary);
  EXPECT_EQ(summary->evictions, 1U);
  for (const auto& pass : recording.Passes()) {
    if (pass->report.evictions.empty()) continue;
    EXPECT_GT(pass->report.at, At(694));
    EXPECT_LT(pass->report.at, At(709));
    EXPECT_EQ(pass->report.evictions[0].order.pod_uid, "u1");
    EXPECT_EQ(pass->report.ranked_for, Signal::kMemoryAvailable);
    ASSERT_TRUE(pass->report.acting_for);
    // Sampled at 690 s; from there it continues at 0.5 MiB/s.
    const double grown = SecondsOf(Elapsed(At(690), pass->report.at)) * 0.5;
    EXPECT_NEAR(static_cast<double>(*pass->summary.node.memory->available_bytes),
                (105 - grown) * kMi, kMi / 100);
    EXPECT_NEAR(static_cast<double>(*pass->summary.pods[1].memory_working_set_bytes),
                (445 + grown) * kMi, kMi / 100);
  }
  EXPECT_EQ(recording.Passes().back()->pods.size(), 1U) << "the pod is gone afterwards";
}

TEST(Import, ASimulationFindsTheEvictionThatReallyWas) {
  Cluster cluster;
  Recording recording;
  ASSERT_TRUE(cluster.Import(recording));
  WhatIf whatif({{.name = "in force", .policy_for = {}}},
                {.model = {}, .samples_every = Duration{0}});
  for (const RecordedItem& item : recording.items) whatif.Add(item);
  whatif.Finish();
  const auto outcomes = whatif.Outcomes();
  ASSERT_EQ(outcomes[0].evictions.size(), 1U);
  EXPECT_EQ(outcomes[0].evictions[0].pod, "ns/leak");
  EXPECT_TRUE(outcomes[0].evictions[0].when.Holds(whatif.facts().evictions[0].at));
  EXPECT_FALSE(whatif.facts().notes.empty());
}

TEST(Import, EachSeriesThatIsMissingIsNamedWithWhatThatCosts) {
  EXPECT_THAT(NotesOf(Cluster()), Contains(HasSubstr("who is evicted for a disk cannot be told")));
  const std::pair<const char*, const char*> rows[] = {
      {"kube_pod_info", "priorities are taken to be 0"},
      {"kube_pod_container_resource_requests", "which pod exceeds its request"},
      {"kubelet_evictions", "for which signal a pod was evicted is not known"},
      {"kube_pod_status_reason", "which pods were evicted is not known"},
  };
  for (const auto& [name, cost] : rows) {
    Cluster cluster;
    EXPECT_THAT(NotesOf(cluster), Not(Contains(HasSubstr(std::string(name) + " is missing"))));
    cluster.Erase(name);
    EXPECT_THAT(NotesOf(cluster),
                Contains(AllOf(HasSubstr(std::string(name) + " is missing"), HasSubstr(cost))));
  }
}

TEST(Import, WithoutTheNodesMemoryThereIsNoRecording) {
  Cluster cluster;
  cluster.Erase("node_memory_working_set_bytes");
  Recording recording;
  const auto summary = cluster.Import(recording);
  ASSERT_FALSE(summary);
  EXPECT_THAT(summary.error().message, HasSubstr("no series gives the node's memory"));
}

TEST(Import, ALongSilenceIsAGapWhichAnEvictionInItDivides) {
  for (const double until : {900, 2000}) {
    Cluster cluster;
    cluster.Cut("node_memory_working_set_bytes", 100, until);
    Recording recording;
    const auto summary = cluster.Import(recording);
    ASSERT_TRUE(summary);
    WhatIf whatif({}, {.model = {}, .samples_every = Duration{0}});
    std::optional<Instant> evicted;
    Instant told = At(90);  // the last sample before
    for (const RecordedItem& item : recording.items) {
      whatif.Add(item);
      if (const auto* gap = std::get_if<RecordedGap>(&item)) {
        EXPECT_EQ(gap->from, told);
        told = gap->to;
      }
      const auto* pass = std::get_if<std::shared_ptr<const RecordedPass>>(&item);
      if (pass == nullptr || (*pass)->report.evictions.empty()) continue;
      evicted = (*pass)->report.at;
      EXPECT_EQ(*evicted, told) << "the first part of the gap is before the pass";
      EXPECT_EQ((*pass)->summary.node.memory->available_bytes, 405 * kMi);
    }
    whatif.Finish();
    ASSERT_TRUE(evicted);
    const Instant end = until < 1200 ? At(900) : *evicted;
    EXPECT_EQ(told, end);
    EXPECT_EQ(whatif.facts().unknown, Elapsed(At(90), end));
  }
  Cluster cluster;
  cluster.Cut("node_memory_working_set_bytes", 100, 500);
  Recording recording;
  ASSERT_TRUE(cluster.Import(recording));
  EXPECT_EQ(recording.Count<RecordedGap>(), 1U);
}

TEST(Import, ACounterThatBeginsAnewCountsFromZero) {
  Cluster cluster;
  cluster.Erase("kubelet_evictions");
  cluster.Scrape("kubelet_evictions", {{"node", "a"}, {"eviction_signal", "memory.available"}}, 4,
                 [](int s) { return s < 300 ? 7 : (s < 700 ? 0 : 1); });
  Recording recording;
  const auto summary = cluster.Import(recording);
  ASSERT_TRUE(summary);
  EXPECT_EQ(summary->evictions, 1U);
}

TEST(Import, AVictimWithoutFiguresAtTheTimeStandsAmongThePodsOfItsEviction) {
  Cluster cluster;
  cluster.Erase("pod_memory_working_set_bytes");
  cluster.Scrape("pod_memory_working_set_bytes",
                 {{"namespace", "ns"}, {"pod", "leak"}, {"node", "a"}}, 3,
                 [](int s) { return s > 200 ? std::nullopt : std::optional(100 * kMi); });
  Recording recording;
  const auto summary = cluster.Import(recording);
  ASSERT_TRUE(summary);
  EXPECT_EQ(summary->evictions, 1U);
  for (const auto& pass : recording.Passes()) {
    if (pass->report.evictions.empty()) continue;
    ASSERT_EQ(pass->pods.size(), 1U);
    EXPECT_EQ(pass->pods[0]->pod.uid, "u1");
  }
}

// Evicted 5 s after each scrape that sees it, every 90 s.
TEST(Import, TheAgentTellsWhenAPodWasEvictedAndWhatItHeldHoweverBrieflyItLives) {
  Cluster cluster;
  for (const char* metric : {"kubelet_evictions", "kube_pod_status_reason"}) cluster.Erase(metric);
  const Labels pod_labels = {{"namespace", "ns"}, {"pod", "brief"}, {"node", "a"}};
  const Labels memory = {{"node", "a"}, {"signal", "memory.available"}};
  cluster.Scrape("jettison_signal_available", memory, 0, [](int) { return 500 * kMi; });
  cluster.Scrape("jettison_signal_capacity", memory, 0, [](int) { return 1000 * kMi; });
  cluster.Scrape("jettison_signal_available_min", memory, 0,
                 [](int s) { return (s % 90 == 15 ? 90 : 500) * kMi; });
  cluster.Scrape("jettison_pod_memory_working_set_bytes", pod_labels, 0,
                 [](int s) { return s % 90 == 0 ? std::optional(100 * kMi) : std::nullopt; });
  cluster.Scrape("jettison_pod_memory_peak_bytes", pod_labels, 0,
                 [](int s) { return s % 90 == 15 ? std::optional(250 * kMi) : std::nullopt; });
  cluster.Scrape("jettison_pod_evictions_total", pod_labels, 0,
                 [](int s) { return (s + 84) / 90; });
  cluster.Scrape("jettison_pod_last_eviction_timestamp_seconds", pod_labels, 0,
                 [](int s) { return SecondsOf(At((s + 84) / 90 * 90 - 85).time_since_epoch()); });
  Recording recording;
  const auto summary = cluster.Import(recording);
  ASSERT_TRUE(summary) << summary.error().message;
  EXPECT_EQ(summary->evictions, 14U);
  for (const auto& pass : recording.Passes()) {
    const auto pod = std::ranges::find(pass->summary.pods, "brief", &PodStats::name);
    const auto s = Elapsed(At(0), pass->report.at) % seconds(90);
    EXPECT_EQ(pod != pass->summary.pods.end(), s <= seconds(6)) << FormatDuration(s);
    if (pass->report.evictions.empty()) continue;
    EXPECT_NEAR(SecondsOf(s), 5, 0.001);
    EXPECT_EQ(pod->memory_working_set_bytes, 250 * kMi);
    EXPECT_EQ(pass->summary.node.memory->available_bytes, 90 * kMi);
  }
}

TEST(Import, EvictionsOfUnknownPodsAreCountedInOneNoteAndNotMadeUp) {
  Cluster cluster;
  for (const char* metric : {"kube_pod_status_reason", "kubelet_evictions"}) cluster.Erase(metric);
  cluster.Scrape("kubelet_evictions", {{"node", "a"}, {"eviction_signal", "nodefs.available"}}, 4,
                 [](int s) { return s < 900 ? 7 : 47; });
  Recording recording;
  const auto summary = cluster.Import(recording);
  ASSERT_TRUE(summary);
  EXPECT_EQ(summary->evictions, 0U);
  EXPECT_THAT(summary->notes, Contains(AllOf(HasSubstr("no series tells which"),
                                             HasSubstr("not in the recording: 40"))));
}

TEST(Import, OomKillsAreRecorded) {
  Cluster cluster;
  cluster.Scrape("container_oom_events_total",
                 {{"node", "a"}, {"namespace", "ns"}, {"pod", "calm"}, {"container", "c"}}, 5,
                 [](int s) { return s < 400 ? 0 : 1; });
  Recording recording;
  const auto summary = cluster.Import(recording);
  ASSERT_TRUE(summary);
  EXPECT_EQ(summary->oom_kills, 1U);
}

// Pieces of two replicas, whose scrapes are 7 s apart; the second one stays when the first is gone.
TEST(Import, ReplicasCountOnceAndTheOneThatStaysGoesOn) {
  Cluster cluster;
  cluster.Erase("node_memory_working_set_bytes");
  const auto scrape = [&](const char* replica, int offset, int from, int to) {
    cluster.Scrape(
        "node_memory_working_set_bytes", {{"node", "a"}, {"replica", replica}}, offset,
        [=](int s) { return from <= s && s < to ? std::optional(500 * kMi) : std::nullopt; });
  };
  for (int from : {600, 0}) {  // in any order
    scrape("b", 7, from, from + 600);
    scrape("a", 0, from, std::min(from + 600, 900));
  }
  Recording recording;
  const auto summary = cluster.Import(recording);
  ASSERT_TRUE(summary);
  EXPECT_EQ(summary->passes, 60U + 21U + 2U)
      << "one at the end of the first piece, and an eviction";
}

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
