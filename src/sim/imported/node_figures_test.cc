#include "sim/imported/node_figures.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sim/imported/testing/test_cluster.h"

namespace jettison {
namespace {

using test_cluster::At;
using test_cluster::Cluster;
using test_cluster::kMi;
using test_cluster::Labels;
using test_cluster::NotesOf;
using test_cluster::Recording;
using testing::Contains;
using testing::HasSubstr;
using testing::Not;

// What is available of the signal in the first pass from that moment on; absent: it is not known.
std::optional<std::int64_t> AvailableAt(const Recording& recording, Signal signal, double s) {
  for (const auto& pass : recording.Passes()) {
    if (pass->report.at < At(s)) continue;
    const auto& seen = pass->report.observations[signal];
    return seen ? std::optional(seen->available) : std::nullopt;
  }
  return std::nullopt;
}

// The agent tells 1 of each signal, from that second on.
void RunAgent(Cluster& cluster, int from) {
  const auto scrape = [&](const char* signal, double capacity) {
    const Labels labels = {{"node", "a"}, {"signal", signal}};
    const auto since = [from](double value) {
      return [=](int s) { return s < from ? std::nullopt : std::optional(value); };
    };
    cluster.Scrape("jettison_signal_available", labels, 5, since(1));
    cluster.Scrape("jettison_signal_capacity", labels, 5, since(capacity));
  };
  for (const char* signal : {"memory.available", "nodefs.available", "swap.available"}) {
    scrape(signal, 1000 * kMi);
  }
  scrape("pid.available", 100);
}

void RunNodeExporter(Cluster& cluster) {
  const auto scrape = [&](const char* name, double value, Labels labels = {}) {
    labels["node"] = "a";
    cluster.Scrape(name, labels, 1, [=](int) { return value; });
  };
  const Labels root = {{"mountpoint", "/"}, {"device", "sda"}};
  scrape("node_filesystem_avail_bytes", 7, root);
  scrape("node_filesystem_size_bytes", 1000, root);
  scrape("node_processes_threads", 93);
  scrape("node_processes_max_processes", 100);
  scrape("node_memory_SwapFree_bytes", 7);
  scrape("node_memory_SwapTotal_bytes", 1000);
}

TEST(NodeFigures, BesideAnAgentNothingElseCounts) {
  Cluster cluster;
  RunNodeExporter(cluster);
  Recording without;
  ASSERT_TRUE(cluster.Import(without));
  for (const Signal signal : {Signal::kNodeFsAvailable, Signal::kPidAvailable}) {
    EXPECT_EQ(AvailableAt(without, signal, 300), 7) << NameOf(signal);
  }
  EXPECT_EQ(without.Passes()[9]->summary.node.swap->available_bytes, 7U);
  EXPECT_THAT(NotesOf(cluster), Contains(HasSubstr("nodefs is taken to be")));
  RunAgent(cluster, 0);
  Recording recording;
  ASSERT_TRUE(cluster.Import(recording));
  EXPECT_EQ(recording.Passes().front()->report.at, At(5));
  for (const Signal signal :
       {Signal::kMemoryAvailable, Signal::kNodeFsAvailable, Signal::kPidAvailable}) {
    EXPECT_EQ(AvailableAt(recording, signal, 300), 1) << NameOf(signal);
  }
  EXPECT_EQ(recording.Passes().back()->summary.node.swap->available_bytes, 1U);
  EXPECT_THAT(NotesOf(cluster), Not(Contains(HasSubstr("nodefs is taken to be"))));
}

// cAdvisor tells 0 of a group that has no limit.
TEST(NodeFigures, AGroupOfAllPodsWithoutALimitIsNoGroupOfZeroBytes) {
  for (const double limit : {0.0, 700 * kMi}) {
    Cluster cluster;
    const Labels all = {{"node", "a"}, {"id", "/kubepods"}};
    cluster.Scrape("container_spec_memory_limit_bytes", all, 1, [=](int) { return limit; });
    cluster.Scrape("container_memory_working_set_bytes", all, 1, [](int) { return 300 * kMi; });
    Recording recording;
    const auto summary = cluster.Import(recording);
    ASSERT_TRUE(summary);
    const auto available = AvailableAt(recording, Signal::kAllocatableMemoryAvailable, 300);
    if (limit > 0) {
      EXPECT_EQ(available, static_cast<std::int64_t>(400 * kMi));
      EXPECT_THAT(summary->notes, Not(Contains(HasSubstr("allocatableMemory.available"))));
    } else {
      EXPECT_FALSE(available);
      EXPECT_THAT(summary->notes,
                  Contains(HasSubstr("no limit, so allocatableMemory.available is unknown")));
    }
  }
}

}  // namespace
}  // namespace jettison
