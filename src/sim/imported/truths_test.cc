#include "sim/imported/truths.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sim/imported/test_cluster.h"

namespace jettison {
namespace {

using test_cluster::At;
using test_cluster::Cluster;
using test_cluster::Labels;
using test_cluster::Recording;
using testing::ElementsAre;

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

TEST(Truths, BesideTheCounterOfAnAgentOthersCountOnlyWhenItWasNotScraped) {
  Cluster cluster;
  const auto course = [](int s) { return s < 300 ? 0 : (s < 900 ? 1 : 2); };
  cluster.Scrape("container_oom_events_total", kCalm, 5, course);
  cluster.Scrape("jettison_pod_oom_kills_total", kCalm, 7,
                 [&](int s) { return s < 600 ? std::nullopt : std::optional<double>(course(s)); });
  EXPECT_THAT(KillsOf(cluster), ElementsAre(297.5, 899.5));
}

}  // namespace
}  // namespace jettison
