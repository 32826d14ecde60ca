#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "cli/command_bed.h"
#include "cli/simulate/fleet_bed.h"
#include "codec/recordings/testing/scenario_writer.h"
#include "sim/replay.h"

namespace jettison {
namespace {

using ::testing::HasSubstr;

constexpr std::int64_t kMi = 1 << 20;

PodStats StatsOf(const std::string& name, std::uint64_t mi) {
  return {.uid = "uid-" + name,
          .name = name,
          .namespace_ = "default",
          .memory_working_set_bytes = mi * kMi,
          .has_memory = true};
}

// Two passes; the second finds 60 MiB of memory, and web goes.
Scenario TwoPasses() {
  Scenario scenario{.name = "short of memory", .start = Instant(std::chrono::hours(1))};
  scenario.policy.thresholds = {
      {.signal = Signal::kMemoryAvailable, .value = Quantity::Of(100 * kMi)}};
  for (const char* name : {"db", "web"}) {
    Pod pod;
    pod.name = name;
    pod.uid = std::string("uid-") + name;
    pod.containers.push_back({.name = "main", .image = "app"});
    scenario.pods.push_back(FactsOf(std::move(pod), Profile::kKubelet));
  }
  for (const std::uint64_t available : {500U, 60U}) {
    ScenarioStep& step = scenario.steps.emplace_back();
    step.at = std::chrono::seconds(10 * scenario.steps.size());
    step.summary.node.memory = MemoryStats{.time = scenario.start + step.at,
                                           .available_bytes = available * kMi,
                                           .working_set_bytes = (1024 - available) * kMi};
    step.summary.pods = {StatsOf("db", 40), StatsOf("web", 80)};
    step.active = {0, 1};
  }
  return scenario;
}

class ExplainFileTest : public testing::Test {
 protected:
  ExplainFileTest() {
    std::string line;
    WriteScenario(TwoPasses(), line);
    std::ofstream(path_) << line << "\n";
  }
  CommandRun Explain(std::vector<std::string> words) {
    words.insert(words.begin(), {"explain", "--file", path_});
    return RunCommand(std::move(words));
  }
  std::string Run(std::vector<std::string> words, int expected) {
    const CommandRun run = Explain(std::move(words));
    EXPECT_EQ(run.status, expected) << run.out;
    return run.out;
  }
  const kernel::TemporaryFolder folder_;
  const std::string path_ = folder_.path() + "/file";
};

TEST_F(ExplainFileTest, ThePassThatEvictedIsExplained) {
  const std::string out = Run({}, 0);
  EXPECT_THAT(out, testing::StartsWith("default/web was evicted: the node was low on memory."));
  EXPECT_THAT(out, HasSubstr("Had default/web used 40Mi less, no pod would have been evicted."));
  EXPECT_THAT(Run({"--output", "json"}, 0), HasSubstr("\"outcome\":\"evicted\""));
}

TEST_F(ExplainFileTest, EachAnswerForProgramsIsALineAndWhatIsNoRecordStopsNoOther) {
  Scenario second = TwoPasses();
  second.name = "the day after";
  std::string lines;
  for (const Scenario& scenario : {TwoPasses(), second}) {
    std::string line;
    WriteScenario(scenario, line);
    lines += line + "\n";
  }
  std::ofstream(path_) << lines << "not a record\n";
  const CommandRun run = Explain({"--output", "json"});
  EXPECT_EQ(run.status, 2);
  EXPECT_THAT(run.complaint, HasSubstr(path_ + ":3: "));
  std::istringstream out(run.out);
  int answers = 0;
  for (std::string line; std::getline(out, line); ++answers) {
    EXPECT_EQ(nlohmann::json::parse(line)["outcome"], "evicted");
  }
  EXPECT_EQ(answers, 2);
}

TEST_F(ExplainFileTest, ThePassesOfARecordingAreExplained) {
  std::vector<RecordedItem> items = {RecordingAbout{.node = "n", .maker = "jettison"}};
  for (RecordedPass& pass : RecordedPassesOf(TwoPasses())) {
    items.emplace_back(std::make_shared<const RecordedPass>(std::move(pass)));
  }
  std::ofstream(path_, std::ios::binary) << BinaryOf(items);
  const std::string out = Run({"web"}, 0);
  EXPECT_THAT(out, testing::StartsWith("default/web was evicted: the node was low on memory."));
  EXPECT_THAT(out, HasSubstr("Had default/web used 40Mi less, no pod would have been evicted."));
  EXPECT_EQ(Run({}, 0), out) << "the other pass did nothing";
  EXPECT_EQ(Run({"db"}, 1), "");
  std::ofstream(path_) << NdjsonOf(items);
  EXPECT_EQ(Run({"web"}, 0), out) << "the same as NDJSON";
}

TEST(RecordedPasses, AreTheReplaysWithTheStateThatEachBeganWith) {
  const std::vector<RecordedPass> passes = RecordedPassesOf(TwoPasses());
  ASSERT_EQ(passes.size(), 2U);
  EXPECT_TRUE(passes[0].report.evictions.empty());
  EXPECT_EQ(passes[1].before.last_observations[Signal::kMemoryAvailable]->available, 500 * kMi);
  EXPECT_EQ(passes[1].report.evictions.front().order.pod_uid, "uid-web");
}

}  // namespace
}  // namespace jettison
