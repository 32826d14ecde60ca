// From the text of a scenario with pressure, or little swap, to the text of what was decided.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "codec/recordings/replay_writer.h"
#include "codec/recordings/scenario_reader.h"
#include "sim/replay.h"

namespace jettison {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

// A record with two pods, "reader" and "idle", under these settings.
std::string Record(const std::string& jettison_config, const std::string& steps) {
  return R"({"name": "n", "start": "2026-01-01T00:00:00Z", "jettisonConfig": )" + jettison_config +
         R"(, "pods": [{"metadata": {"name": "reader", "uid": "reader"}},
                       {"metadata": {"name": "idle", "uid": "idle"}}], "steps": [)" +
         steps + "]}";
}

std::string Step(const std::string& at, const std::string& node, const std::string& more = "") {
  return R"({"at": ")" + at + R"(", "activePods": ["reader", "idle"], "summary": {"node": )" +
         node + R"(, "pods": [
           {"podRef": {"uid": "idle"}, "memory": {"workingSetBytes": 5}},
           {"podRef": {"uid": "reader"}, "memory": {"workingSetBytes": 1},
            "io": {"psi": {"some": {"avg10": 93.5}}}}]})" +
         more + "}";
}

std::string Io(double avg10) {
  return R"({"io": {"psi": {"full": {"avg10": )" + std::to_string(avg10) + "}}}}";
}

Result<std::string> ReplayOf(const std::string& record) {
  Scenario scenario;
  const auto read = ReadScenario(record, scenario);
  if (!read) return Fail(read.error());
  std::string line;
  WriteReplay(scenario, Replay(scenario), line);
  return line;
}

TEST(PressureReplay, WhoIsStalledOnIoGoesAndNobodyForWhatIsLeftInTheAverage) {
  const auto line = ReplayOf(
      Record(R"({"pressureHard": {"io.pressure.full.avg10": "50%"}})",
             Step("0s", Io(50)) + "," + Step("10s", Io(71.02), R"(, "admit": ["idle"])") + "," +
                 Step("12s", Io(65)) + "," + Step("25s", Io(51)) + "," + Step("40s", Io(70))));
  ASSERT_TRUE(line) << line.error().message;
  EXPECT_THAT(*line, HasSubstr(R"({"nodeConditions":[]},)")) << "50% is not above 50%";
  EXPECT_THAT(*line,
              HasSubstr("The node was stalled on resource: io. Threshold: 50%, "
                        "io.pressure.full.avg10: 71.02%. Pod reader was stalled on io itself for "
                        "93.5% of the last 10s. "));
  EXPECT_THAT(*line, HasSubstr(R"("ranking":["reader","idle"])"));
  EXPECT_THAT(*line, HasSubstr("The node had condition: [SystemDiskContentionPressure]. "));
  EXPECT_THAT(*line, HasSubstr(R"({"nodeConditions":["SystemDiskContentionPressure"]},)"
                               R"({"nodeConditions":["SystemDiskContentionPressure"]},)"))
      << "at 12 s and at 25 s the condition holds, and nobody goes";
  EXPECT_THAT(line->substr(line->rfind("nodeConditions")), HasSubstr("\"evictions\""));
}

TEST(PressureReplay, ASoftThresholdOnMemoryWaitsForItsGracePeriodAndTakesTheLargest) {
  const std::string stalled = R"({"memory": {"psi": {"some": {"avg60": 30}}}})";
  const auto line = ReplayOf(Record(
      R"({"pressureSoft": {"memory.pressure.some.avg60": "20%"},
          "pressureSoftGracePeriod": {"memory.pressure.some.avg60": "30s"}})",
      Step("0s", stalled) + "," + Step("30s", stalled)));
  ASSERT_TRUE(line) << line.error().message;
  EXPECT_THAT(*line, HasSubstr(R"({"nodeConditions":["MemoryPressure"]},)"));
  EXPECT_THAT(*line, HasSubstr(R"("evictions":[{"pod":"idle")"));
}

// "reader" has the most memory, "idle" the most swap.
std::string SwapStep(const std::string& at, int available) {
  return R"({"at": ")" + at + R"(", "activePods": ["reader", "idle"], "summary": {"node": {"swap":
           {"swapAvailableBytes": )" +
         std::to_string(available) + R"(, "swapUsageBytes": )" + std::to_string(1000 - available) +
         R"(}}, "pods": [
           {"podRef": {"uid": "idle"}, "memory": {"workingSetBytes": 5},
            "swap": {"swapUsageBytes": 400}},
           {"podRef": {"uid": "reader"}, "memory": {"workingSetBytes": 9000},
            "swap": {"swapUsageBytes": 300}}]}})";
}

TEST(SwapReplay, WhoHasMostOfItGoesWhenItRunsOut) {
  const auto line = ReplayOf(Record(R"({"swapHard": {"swap.available": "10%"}})",
                                    SwapStep("0s", 100) + "," + SwapStep("10s", 99)));
  ASSERT_TRUE(line) << line.error().message;
  EXPECT_THAT(*line, HasSubstr(R"({"nodeConditions":[]},)")) << "10% is not below 10%";
  EXPECT_THAT(*line, HasSubstr(R"("ranking":["idle","reader"])"));
  EXPECT_THAT(*line, HasSubstr("The node was low on resource: swap. Threshold quantity: 100, "
                               "available: 99. Pod idle was using 400 of swap. "));
  EXPECT_THAT(*line, HasSubstr(R"("nodeConditions":["MemoryPressure"])"));
}

TEST(SwapReplay, WithoutSettingsOrWithoutSwapNobodyGoes) {
  for (const char* config : {"{}", R"({"swapHard": {"swap.available": "100%"}})"}) {
    const bool none = config == std::string("{}");
    const auto line = ReplayOf(Record(
        config, none ? SwapStep("0s", 0)
                     : Step("0s", R"({"swap": {"swapAvailableBytes": 0, "swapUsageBytes": 0}})")));
    ASSERT_TRUE(line) << line.error().message;
    EXPECT_THAT(*line, Not(HasSubstr("Pressure")));
  }
}

}  // namespace
}  // namespace jettison
