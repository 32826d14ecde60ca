#include "sim/imported/convert.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>

#include "sim/imported/testing/test_cluster.h"
#include "sim/whatif/whatif.h"

namespace jettison {
namespace {

using std::chrono::seconds;
using test_cluster::At;
using test_cluster::Cluster;
using test_cluster::kMi;
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
                {.model = {}, .thinning = Duration{0}, .blind = true});
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

TEST(Import, ALongSilenceIsAGap) {
  Cluster cluster;
  cluster.Cut("node_memory_working_set_bytes", 100, 500);
  Recording recording;
  ASSERT_TRUE(cluster.Import(recording));
  EXPECT_EQ(recording.Count<RecordedGap>(), 1U);
}

TEST(Import, AnEvictionInAGapDividesItAndHasTheFiguresOfBefore) {
  for (const double until : {900, 2000}) {
    Cluster cluster;
    cluster.Cut("node_memory_working_set_bytes", 100, until);
    Recording recording;
    const auto summary = cluster.Import(recording);
    ASSERT_TRUE(summary);
    WhatIf whatif({}, {.model = {}, .thinning = Duration{0}, .blind = true});
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
  const test_cluster::Labels pod_labels = {{"namespace", "ns"}, {"pod", "brief"}, {"node", "a"}};
  const test_cluster::Labels memory = {{"node", "a"}, {"signal", "memory.available"}};
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

TEST(Import, AnEvictionOfAnUnknownPodIsNamedAndNotMadeUp) {
  Cluster cluster;
  cluster.Erase("kube_pod_status_reason");
  Recording recording;
  const auto summary = cluster.Import(recording);
  ASSERT_TRUE(summary);
  EXPECT_EQ(summary->evictions, 0U);
  EXPECT_THAT(summary->notes, Contains(HasSubstr("no series tells which")));
}

TEST(Import, WhatIsSaidOfManyEvictionsAlikeIsSaidOnce) {
  Cluster cluster;
  cluster.Erase("kubelet_evictions");
  cluster.Scrape("kubelet_evictions", {{"node", "a"}, {"eviction_signal", "nodefs.available"}}, 4,
                 [](int s) { return s < 900 ? 7 : 47; });
  const auto notes = NotesOf(cluster);
  EXPECT_EQ(std::ranges::count_if(notes,
                                  [](const std::string& note) {
                                    return note.find("no series tells which") != std::string::npos;
                                  }),
            1);
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

}  // namespace
}  // namespace jettison
