#include "sim/report/totals.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>

namespace jettison {
namespace {

using std::chrono::hours;
using ::testing::HasSubstr;

TEST(SimulationTotalsTest, SumsOfManyNodesDoNotOverflow) {
  SimulationReport report;
  report.outcomes = {{.name = "in force", .evictions = {{.uid = "u"}}}};
  report.outcomes[0].pod_time_lost = hours(2'000'000);  // 228 years of pods
  report.outcomes[0].condition_time[0] = hours(2'000'000);
  report.outcomes[0].idle_byte_seconds = 1e20;
  SimulationTotals totals;
  for (int i = 0; i < 3; ++i) totals.Add(report);
  EXPECT_DOUBLE_EQ(totals.policies[0].pod_seconds_lost, 3 * 7.2e9);
  EXPECT_DOUBLE_EQ(totals.policies[0].condition_seconds, 3 * 7.2e9);
  EXPECT_DOUBLE_EQ(totals.policies[0].idle_byte_seconds, 3e20);
  EXPECT_EQ(totals.policies[0].nodes_with_evictions, 3U);
}

TEST(SimulationTotalsTest, ANodeThatCouldNotBeSimulatedAddsNothingButItself) {
  SimulationReport report{.inputs = {{.name = "a.jtr", .bytes = 7, .faults = {"byte 0"}}},
                          .failure = "it is no recording"};
  FleetSummary fleet{.most_nodes = 5};
  report.facts.node = "a";
  fleet.totals.policies.resize(2);
  fleet.Add(report);
  EXPECT_EQ(fleet.totals.nodes, 1U);
  EXPECT_EQ(fleet.totals.nodes_failed, 1U);
  EXPECT_EQ(fleet.totals.recordings_damaged, 1U);
  EXPECT_EQ(fleet.totals.bytes, 7U);
  EXPECT_EQ(fleet.totals.policies[1].evictions, 0U);
  const SimulationHead head{.version = "1",
                            .options = {},
                            .policies = {{"in force", ""}, {"p", "{}"}},
                            .missing_shards = {}};
  EXPECT_THAT(FleetText(head, fleet),
              HasSubstr("DAMAGED  1 of 1 recording, 1 node without any pass\n"
                        "  - a: a.jtr: byte 0\n  - a: it is no recording\n"));
}

}  // namespace
}  // namespace jettison
