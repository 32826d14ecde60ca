#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/simulate/fleet_bed.h"
#include "cli/simulate/simulate.h"
#include "kernel/files/files.h"

namespace jettison {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class OneNodeTest : public FleetBed {
 protected:
  SimulationReport ReportOf(const std::string& name) { return RunOver({}, NodeAt(name)); }
};

TEST_F(OneNodeTest, OfARecordingOfTwoNodesTheFirstCountsAndTheOtherIsNamed) {
  const auto a = LifeOf("node-a", 3);
  const auto b = LifeOf("node-b", 4);
  Put("alone.jtr", BinaryOf(a));
  Put("mix.jtr", BinaryOf(a) + BinaryOf(b));
  Put("mix.ndjson", NdjsonOf(a) + NdjsonOf(b));
  const SimulationReport alone = ReportOf("alone.jtr");
  for (const std::string name : {"mix.jtr", "mix.ndjson"}) {
    const SimulationReport mix = ReportOf(name);
    EXPECT_EQ(mix.facts.node, "node-a");
    EXPECT_EQ(mix.facts.passes, alone.facts.passes) << name;
    EXPECT_EQ(mix.outcomes[0].evictions.size(), alone.outcomes[0].evictions.size()) << name;
    EXPECT_THAT(mix.Faults(), ElementsAre(HasSubstr("another node, node-b, and is left out")));
  }
}

TEST_F(OneNodeTest, TwoCopiesOneAfterTheOtherCountOnce) {
  const auto items = LifeOf("n", 5);
  const std::string scenario =
      kernel::ReadFile(JETTISON_TESTDATA "/../../docs/how-to/node.ndjson").value();
  for (const std::string& one : {BinaryOf(items), NdjsonOf(items), scenario}) {
    Put("one", one);
    Put("two", one + one);
    const SimulationReport single = ReportOf("one");
    const SimulationReport twice = ReportOf("two");
    EXPECT_GT(single.facts.passes, 0U);
    EXPECT_EQ(twice.facts.passes, single.facts.passes);
    EXPECT_EQ(twice.outcomes[0].evictions.size(), single.outcomes[0].evictions.size());
    EXPECT_EQ(twice.outcomes[0].idle_byte_seconds, single.outcomes[0].idle_byte_seconds);
  }
}

}  // namespace
}  // namespace jettison
