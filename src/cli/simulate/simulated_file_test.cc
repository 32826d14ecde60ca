#include "cli/simulate/simulated_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/simulate/fleet_bed.h"
#include "cli/simulate/run_recording.h"
#include "core/text/hash128.h"
#include "kernel/files/files.h"
#include "sim/report/simulation_report.h"

namespace jettison {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::SizeIs;

class SimulatedFileTest : public FleetBed {
 protected:
  [[nodiscard]] SimulationReport Simulated(const std::string& name) const {
    auto report = RunOver({.path = Path(name), .candidates = {}});
    EXPECT_TRUE(report) << report.error().message;
    if (!report) return {.recording = "", .calibration = {}};
    report->recording = "r";
    return *report;
  }
  [[nodiscard]] bool HasScenarios(const std::string& text) const {
    Put("x", text);
    auto file = SimulatedFile::Open(Path("x"));
    return file && file->has_scenarios();
  }
};

TEST_F(SimulatedFileTest, ARecordingAsNdjsonGivesTheSameAsTheBinaryOne) {
  const auto items = LifeOf("n", 5);
  Put("n.jtr", BinaryOf(items));
  Put("n.ndjson", NdjsonOf(items));
  const SimulationReport binary = Simulated("n.jtr");
  ASSERT_FALSE(binary.outcomes.empty());
  EXPECT_FALSE(binary.outcomes.front().evictions.empty());
  EXPECT_EQ(SimulationJson({binary}), SimulationJson({Simulated("n.ndjson")}));
}

TEST_F(SimulatedFileTest, TwoCopiesOneAfterTheOtherCountOnce) {
  const auto items = LifeOf("n", 5);
  const std::string scenario =
      kernel::ReadFile(JETTISON_TESTDATA "/../../docs/how-to/node.ndjson").value();
  for (const std::string& one : {BinaryOf(items), NdjsonOf(items), scenario}) {
    Put("one", one);
    Put("two", one + one);
    EXPECT_EQ(SimulationJson({Simulated("two")}), SimulationJson({Simulated("one")}));
  }
}

TEST_F(SimulatedFileTest, HowItBeginsTellsARecordingFromScenarios) {
  EXPECT_FALSE(HasScenarios(R"({"about":{"at":"2026-01-01T00:00:00Z"}})"));
  EXPECT_FALSE(HasScenarios(R"({ "pass" : { "number":1}})"));
  EXPECT_FALSE(HasScenarios(R"({"note":{"at":"2026-01-01T00:00:00Z","text":"imported"}})"));
  EXPECT_FALSE(HasScenarios("\x89JTREC\r\n"));
  EXPECT_FALSE(HasScenarios("damaged"));
  EXPECT_TRUE(HasScenarios(R"({"name":"pass 1","about":{}})"));
  EXPECT_TRUE(HasScenarios(R"({"aboutness":{}})"));
  EXPECT_TRUE(HasScenarios("\n\n {\"name\":\"pass 1\"}"));
}

TEST_F(SimulatedFileTest, WhatIsLeftOfADamagedRecordingIsSimulated) {
  std::string bytes = BinaryOf(LifeOf("n", 5), {.passes = 10});
  bytes[3] ^= 1;
  Put("n.jtr", bytes);
  const SimulationReport report = Simulated("n.jtr");
  ASSERT_THAT(report.faults, SizeIs(1));
  EXPECT_THAT(report.faults[0],
              AllOf(HasSubstr("n.jtr: byte 0: "), HasSubstr("bytes are passed over")));
  EXPECT_GT(report.facts.passes, 20U);
}

TEST_F(SimulatedFileTest, WhatIsNoRecordingAtAllSaysWhereAndWhy) {
  Put("letter.txt", "Dear reader\n");
  const auto letter = RunOver({.path = Path("letter.txt"), .candidates = {}});
  ASSERT_FALSE(letter);
  EXPECT_THAT(letter.error().message,
              AllOf(HasSubstr("letter.txt: byte 0: not a Jettison recording")));
  EXPECT_EQ(ExitStatusOf(letter.error()), 2);
  const auto folder = RunOver({.path = folder_.path(), .candidates = {}});
  ASSERT_FALSE(folder);
  EXPECT_THAT(folder.error().message, HasSubstr("it is a folder"));
  EXPECT_EQ(ExitStatusOf(folder.error()), 1);
}

TEST_F(SimulatedFileTest, TheHashIsOfTheWholeFileHoweverMuchWasRead) {
  const std::string bytes = BinaryOf(LifeOf("n", 5));
  Put("n.jtr", bytes);
  auto file = SimulatedFile::Open(Path("n.jtr"));
  ASSERT_TRUE(file);
  ASSERT_TRUE(file->source().Next());
  EXPECT_EQ(file->stream().Hash(), HashOf(bytes));
  EXPECT_EQ(file->stream().bytes(), bytes.size());
  EXPECT_EQ(file->stream().Head(), std::string_view(bytes).substr(0, InputStream::kHeadBytes));
}

TEST_F(SimulatedFileTest, AnEmptyFileCountsAsUnread) {
  Put("empty", "");
  const auto report = RunOver({.path = Path("empty"), .candidates = {}});
  ASSERT_FALSE(report);
  EXPECT_EQ(ExitStatusOf(report.error()), 1);
  EXPECT_THAT(report.error().message, HasSubstr("empty is empty: it has no recording"));
}

TEST_F(SimulatedFileTest, WhatIsCutOffIsAFlawInTheDocument) {
  const std::string whole = BinaryOf(LifeOf("n", 5), {.passes = 20});
  Put("n.jtr", whole.substr(0, whole.size() - 1));
  const SimulationReport report = Simulated("n.jtr");
  EXPECT_THAT(report.faults, SizeIs(1));
  EXPECT_GT(report.facts.unknown, Duration{0});
  EXPECT_THAT(SimulationJson({report}), HasSubstr("is cut off by the end of the recording"));
}

}  // namespace
}  // namespace jettison
