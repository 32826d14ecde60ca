#include "cli/simulate/node_source.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/simulate/fleet_bed.h"
#include "cli/simulate/simulate.h"

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

}  // namespace
}  // namespace jettison
