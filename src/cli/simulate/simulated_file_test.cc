#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/simulate/fleet_bed.h"
#include "cli/simulate/node_source.h"
#include "cli/simulate/simulate.h"
#include "kernel/files/files.h"
#include "sim/report/report_fields.h"

namespace jettison {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::SizeIs;

// All that was found, as JSON.
std::string JsonOf(const SimulationReport& report) {
  std::string out;
  JsonWriter json(out);
  WriteForm(report.facts, json);
  WriteForm(report.calibration, json);
  WriteForm(report.outcomes, json);
  return out;
}

class SimulatedFileTest : public FleetBed {
 protected:
  [[nodiscard]] SimulationReport Simulated(const std::string& name) const {
    SimulationReport report = RunOver({}, NodeAt(name));
    EXPECT_EQ(report.failure, "");
    return report;
  }
};

TEST_F(SimulatedFileTest, ARecordingAsNdjsonGivesTheSameAsTheBinaryOne) {
  const auto items = LifeOf("n", 5);
  Put("n.jtr", BinaryOf(items));
  Put("n.ndjson", NdjsonOf(items));
  const SimulationReport binary = Simulated("n.jtr");
  ASSERT_FALSE(binary.outcomes.empty());
  EXPECT_FALSE(binary.outcomes.front().evictions.empty());
  EXPECT_EQ(JsonOf(binary), JsonOf(Simulated("n.ndjson")));
}

TEST_F(SimulatedFileTest, TwoCopiesOneAfterTheOtherCountOnce) {
  const auto items = LifeOf("n", 5);
  const std::string scenario =
      kernel::ReadFile(JETTISON_TESTDATA "/../../docs/how-to/node.ndjson").value();
  for (const std::string& one : {BinaryOf(items), NdjsonOf(items), scenario}) {
    Put("one", one);
    Put("two", one + one);
    EXPECT_EQ(JsonOf(Simulated("two")), JsonOf(Simulated("one")));
  }
}

TEST_F(SimulatedFileTest, WhatIsLeftOfADamagedRecordingIsSimulated) {
  std::string bytes = BinaryOf(LifeOf("n", 5), {.passes = 10});
  bytes[3] ^= 1;
  Put("n.jtr", bytes);
  const SimulationReport report = Simulated("n.jtr");
  ASSERT_THAT(report.Faults(), SizeIs(1));
  EXPECT_THAT(report.Faults()[0],
              AllOf(HasSubstr("n.jtr: byte 0: "), HasSubstr("bytes are passed over")));
  EXPECT_GT(report.facts.passes, 20U);
}

TEST_F(SimulatedFileTest, WhatIsNoRecordingAtAllSaysWhereAndWhy) {
  Put("letter.txt", "Dear reader\n");
  const SimulationReport letter = RunOver({}, NodeAt("letter.txt"));
  EXPECT_THAT(letter.Faults()[0], HasSubstr("letter.txt: byte 0: not a Jettison recording"));
  EXPECT_EQ(letter.failure, "its recordings have no pass");
  EXPECT_EQ(ExitStatusOf(letter), 2);
  const SimulationReport folder = RunOver({}, NodeAt(""));
  EXPECT_THAT(folder.Faults()[0], HasSubstr("it is a folder"));
  EXPECT_EQ(ExitStatusOf(folder), 1);
}

}  // namespace
}  // namespace jettison
