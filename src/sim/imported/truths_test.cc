#include "sim/imported/truths.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sim/imported/testing/test_cluster.h"

namespace jettison {
namespace {

using test_cluster::At;
using test_cluster::Cluster;
using test_cluster::Labels;
using test_cluster::Recording;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using testing::SizeIs;

const Labels kCalm = {{"node", "a"}, {"namespace", "ns"}, {"pod", "calm"}, {"container", "c"}};

// The seconds of the OOM kills that are imported.
std::vector<double> KillsOf(const Cluster& cluster) {
  Recording recording;
  const auto summary = cluster.Import(recording);
  EXPECT_TRUE(summary);
  std::vector<double> kills;
  for (const RecordedItem& item : recording.items) {
    const auto* kill = std::get_if<RecordedOomKill>(&item);
    if (kill != nullptr) kills.push_back(SecondsOf(Elapsed(At(0), kill->at)));
  }
  EXPECT_EQ(summary->oom_kills, kills.size());
  return kills;
}

TEST(Truths, AnOomKillOfAPodWhoseNameASecondOneHasIsCountedOnce) {
  Cluster cluster;
  cluster.AddPod("calm", "u3", 500, [](int) { return std::nullopt; });
  cluster.Scrape("container_oom_events_total", kCalm, 5, [](int s) { return s < 400 ? 0 : 1; });
  EXPECT_THAT(KillsOf(cluster), ElementsAre(402.5));
}

TEST(Truths, EachOomKillThatACounterHasCountedIsRecordedAlsoSinceItBeganAnew) {
  Cluster cluster;
  cluster.Scrape("container_oom_events_total", kCalm, 5, [](int s) {
    if (s < 300) return 0;
    if (s < 600) return 3;
    return s < 900 ? 5 : 1;
  });
  EXPECT_THAT(KillsOf(cluster), ElementsAre(297.5, 297.5, 297.5, 597.5, 597.5, 897.5));
}

// The passes that evicted.
std::vector<std::shared_ptr<const RecordedPass>> EvictionsOf(const Cluster& cluster) {
  Recording recording;
  EXPECT_TRUE(cluster.Import(recording));
  auto passes = recording.Passes();
  std::erase_if(passes, [](const auto& pass) { return pass->report.evictions.empty(); });
  return passes;
}

// The only status of the leak is that it was evicted, as kube-state-metrics 2.20 tells it.
void TellEvictedAlone(Cluster& cluster) {
  cluster.Erase("kube_pod_status_reason");
  cluster.Scrape("kube_pod_status_reason",
                 {{"namespace", "ns"}, {"pod", "leak"}, {"uid", "u1"}, {"reason", "Evicted"}}, 8,
                 [](int s) { return s < 705 ? std::nullopt : std::optional(1.0); });
}

TEST(Truths, AStatusThatBeginsWithTheEvictionIsOneOfAPodThatWasThereBefore) {
  Cluster cluster;
  TellEvictedAlone(cluster);
  const auto evictions = EvictionsOf(cluster);
  ASSERT_THAT(evictions, SizeIs(1));
  EXPECT_GT(evictions[0]->report.at, At(694));
  EXPECT_LT(evictions[0]->report.at, At(709));
  EXPECT_THAT(test_cluster::NotesOf(cluster), Not(Contains(HasSubstr("had been evicted before"))));
  // Without a counter of the kubelet, it was between this sample of the pod and the one before.
  cluster.Erase("kubelet_evictions");
  ASSERT_THAT(EvictionsOf(cluster), SizeIs(1));
  EXPECT_GT(EvictionsOf(cluster)[0]->report.at, At(697));
  EXPECT_LT(EvictionsOf(cluster)[0]->report.at, At(714));
}

TEST(Truths, AStatusThatBeginsWithTheEvictionOfAPodThatIsNewTellsNotWhenItWas) {
  Cluster cluster;
  TellEvictedAlone(cluster);
  cluster.Cut("kube_pod_info", -100, 710);
  EXPECT_THAT(EvictionsOf(cluster), SizeIs(0));
  EXPECT_THAT(test_cluster::NotesOf(cluster),
              Contains(HasSubstr("ns/leak had been evicted before its first sample")));
}

}  // namespace
}  // namespace jettison
