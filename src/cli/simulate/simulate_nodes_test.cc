#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <new>
#include <string>
#include <vector>

#include "cli/simulate/fleet_bed.h"
#include "cli/simulate/simulate.h"

namespace jettison {
namespace {

using ::testing::HasSubstr;

class SimulateNodesTest : public FleetBed {
 protected:
  [[nodiscard]] std::vector<FleetNodeFiles> Nodes() const {
    return NodesOfShard(*FindRecordings({Path("fleet")}), {.index = 0, .count = 1});
  }
  [[nodiscard]] static std::vector<std::string> NamesOf(const std::vector<FleetNodeFiles>& nodes,
                                                        std::size_t jobs) {
    std::vector<std::string> names;
    EXPECT_TRUE(SimulateNodes({}, nodes, {.jobs = jobs, .label = "", .item = {}},
                              [&](std::size_t i, const SimulationReport& report) {
                                EXPECT_EQ(i, names.size());
                                names.push_back(report.facts.node);
                                return true;
                              }));
    return names;
  }
};

TEST_F(SimulateNodesTest, ResultsComeInTheOrderOfTheNodesWhateverTheJobs) {
  PutFleet(9);
  const auto nodes = Nodes();
  std::vector<std::string> names;
  for (const FleetNodeFiles& node : nodes) names.push_back(node.node);
  for (const std::size_t jobs : {1U, 3U, 100U}) EXPECT_EQ(NamesOf(nodes, jobs), names);
}

TEST_F(SimulateNodesTest, EndWhereTheirResultsAreNotWanted) {
  PutFleet(6);
  int taken = 0;
  EXPECT_FALSE(SimulateNodes({}, Nodes(), {.jobs = 2, .label = "", .item = {}},
                             [&](std::size_t, const SimulationReport&) { return ++taken < 3; }));
  EXPECT_EQ(taken, 3);
}

TEST_F(SimulateNodesTest, NothingIsDoneAtOnceAndAProcessorIsAlwaysThere) {
  EXPECT_TRUE(NamesOf({}, 4).empty());
  EXPECT_GE(ProcessorsAvailable(), 1U);
}

TEST_F(SimulateNodesTest, ANodeThatCannotBeSimulatedCostsItselfOnly) {
  Put("fleet/a.jtr", BinaryOf(LifeOf("a", 1)));
  Put("fleet/b.jtr", BinaryOf(LifeOf("b", 1, std::chrono::seconds(60), "-b")));
  const auto throws_for_b = [](const RecordedPass& first) -> std::vector<CandidatePolicy> {
    const auto leak =
        std::ranges::find(first.pods, "uid-leak-b", [](const auto& pod) { return pod->pod.uid; });
    if (leak != first.pods.end()) throw std::bad_alloc();
    return {};
  };
  std::vector<SimulationReport> reports;
  EXPECT_TRUE(SimulateNodes({.candidates = {}, .after_eviction = {}, .more = throws_for_b}, Nodes(),
                            {.label = "", .item = {}}, [&](std::size_t, SimulationReport report) {
                              reports.push_back(std::move(report));
                              return true;
                            }));
  ASSERT_EQ(reports.size(), 2U);
  EXPECT_EQ(ExitStatusOf(reports[0]), 0);
  EXPECT_EQ(ExitStatusOf(reports[1]), 1);
  EXPECT_THAT(reports[1].failure, HasSubstr("it cannot be simulated: std::bad_alloc"));
  EXPECT_TRUE(reports[1].inputs[0].unread);
}

}  // namespace
}  // namespace jettison
