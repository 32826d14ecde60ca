#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "sim/page/page_data.h"

namespace jettison {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::SizeIs;

using std::chrono::seconds;

constexpr std::int64_t kMiB = 1 << 20;
constexpr const char* kHostile = "default/</script><!--&\"x\"\n";
const Instant kThen(std::chrono::hours(500'000));

NodeCourses Courses() {
  NodeCourses courses;
  for (int i = 0; i < 100; ++i) {
    auto pass = std::make_shared<RecordedPass>();
    pass->report.at = kThen + seconds(10 * i);
    pass->report.observations[Signal::kMemoryAvailable] =
        Observation{.available = (1000 - i) * kMiB, .capacity = 4096 * kMiB, .time = {}};
    pass->report.observations[Signal::kMemoryPressureFullAvg10] =
        Observation{.available = 7550, .capacity = 10'000, .time = {}};
    courses.Add(std::shared_ptr<const RecordedPass>(std::move(pass)));
  }
  return courses;
}

PassPolicy Policy() {
  PassPolicy policy;
  policy.thresholds = {{.signal = Signal::kMemoryAvailable, .value = Percentage{0.25F}},
                       {.signal = Signal::kMemoryAvailable,
                        .value = Quantity::Of(2000 * kMiB),
                        .grace_period = seconds(30)},
                       {.signal = Signal::kMemoryPressureFullAvg10, .value = Quantity::Of(5000)},
                       {.signal = Signal::kNodeFsAvailable, .value = Percentage{0.1F}}};
  return policy;
}

SimulationReport Report() {
  SimulationReport report{.inputs = {{.name = "a.jtr"}}};
  report.facts.node = kHostile;
  report.facts.from = kThen;
  report.facts.to = kThen + seconds(990);
  report.outcomes = {{.name = "in force"}, {.name = kHostile}, {.name = "off the front"}};
  for (PolicyOutcome& outcome : report.outcomes) {
    outcome.evictions = {{.uid = "u",
                          .pod = kHostile,
                          .when = {kThen, kThen + seconds(5), kThen + seconds(9)},
                          .limit = {},
                          .available = 1,
                          .line = 2,
                          .held = 3}};
  }
  report.policies = {Policy(), Policy(), Policy()};
  report.courses = std::make_shared<NodeCourses>(Courses());
  return report;
}

Recommendation ForReport() {
  Recommendation all;
  all.tried = {
      {.name = "in force",
       .costs = {.evictions = 3, .idle_byte_seconds = 1 * kByteSecondsOfGibHour}},
      {.name = kHostile, .costs = {.evictions = 1, .idle_byte_seconds = 2 * kByteSecondsOfGibHour}},
      {.name = "off the front",
       .costs = {.evictions = 3, .idle_byte_seconds = 9 * kByteSecondsOfGibHour}}};
  all.choice = {.chosen = 1, .why = Choice::Why::kCheapest, .front = {0, 1}};
  return all;
}

TEST(PageData, HasNothingThatEndsItsScriptAndIsStillTheSame) {
  const std::vector<SimulationReport> reports = {Report()};
  const std::string text = PageData(reports, nullptr);
  EXPECT_THAT(text, Not(HasSubstr("<")));
  const auto json = nlohmann::json::parse(text);
  EXPECT_EQ(json["kind"], "Simulation");
  const auto& recording = json["recordings"][0];
  EXPECT_EQ(recording["node"], kHostile);
  EXPECT_EQ(recording["policies"][1]["evictions"][0]["pod"], kHostile);
}

TEST(PageData, ASignalHasItsStretchesAndThresholdsInOneUnit) {
  const std::vector<SimulationReport> reports = {Report()};
  const auto json = nlohmann::json::parse(PageData(reports, nullptr));
  const auto& recording = json["recordings"][0];
  ASSERT_THAT(recording["signals"], SizeIs(2)) << "nodefs was not observed";
  const auto& memory = recording["signals"][0];
  EXPECT_EQ(memory["name"], "memory.available");
  EXPECT_EQ(memory["unit"], "bytes");
  EXPECT_EQ(memory["points"][0], nlohmann::json({0, 1000 * kMiB, 1000 * kMiB}));
  const auto& lines = recording["policies"][0]["thresholds"]["memory.available"];
  EXPECT_EQ(lines[0]["at"], 1024 * kMiB);
  EXPECT_EQ(lines[1]["kind"], "soft");
  EXPECT_EQ(lines[1]["graceMs"], 30'000);
  EXPECT_EQ(recording["signals"][1]["unit"], "percent");
  EXPECT_EQ(recording["signals"][1]["points"][0][1], 75.5);
}

TEST(PageData, DetailsAreOfTheNodesWithTheMostEvictions) {
  std::vector<SimulationReport> reports(kMostDetailed + 20, Report());
  for (SimulationReport& report : reports) report.outcomes[1].evictions.clear();
  for (const std::size_t harmed : {std::size_t{60}, reports.size() - 1}) {
    reports[harmed].outcomes[0].evictions.resize(3, Report().outcomes[0].evictions[0]);
  }
  // What is off the front is not told, and does not count.
  reports[61].outcomes[2].evictions.resize(9, Report().outcomes[0].evictions[0]);
  const Recommendation all = ForReport();
  const auto json = nlohmann::json::parse(PageData(reports, &all));
  std::size_t detailed = 0;
  for (const auto& recording : json["recordings"]) {
    detailed += recording["detailed"] ? 1U : 0U;
    EXPECT_EQ(recording["signals"].size(), recording["detailed"] ? 2U : 0U);
    EXPECT_EQ(recording["policies"][0].contains("evictions"), recording["detailed"]);
    EXPECT_EQ(recording["policies"][1]["evictionCount"], 0);
  }
  EXPECT_EQ(detailed, kMostDetailed);
  EXPECT_TRUE(json["recordings"][60]["detailed"]);
  EXPECT_FALSE(json["recordings"][61]["detailed"]);
  EXPECT_TRUE(json["recordings"][reports.size() - 1]["detailed"]);
  EXPECT_TRUE(json["recordings"][kMostDetailed - 3]["detailed"]);
  EXPECT_FALSE(json["recordings"][kMostDetailed - 2]["detailed"]);
}

}  // namespace
}  // namespace jettison
