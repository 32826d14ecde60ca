#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "cli/command_bed.h"
#include "codec/flight/recording_lines.h"
#include "codec/flight/recording_writer.h"
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
  ExplainFileTest() : path_(testing::TempDir() + "explain-file-" + std::to_string(::getpid())) {
    std::string line;
    WriteScenario(TwoPasses(), line);
    std::ofstream(path_) << line << "\n";
  }
  ~ExplainFileTest() override { std::filesystem::remove(path_); }
  CommandRun Explain(std::vector<std::string> words) {
    words.insert(words.begin(), {"explain", "--file", path_});
    return RunCommand(std::move(words));
  }
  std::string Run(std::vector<std::string> words, int expected) {
    const CommandRun run = Explain(std::move(words));
    EXPECT_EQ(run.status, expected) << run.out;
    return run.out;
  }
  std::string path_;
};

TEST_F(ExplainFileTest, ThePassThatEvictedIsExplained) {
  const std::string out = Run({}, 0);
  EXPECT_THAT(out, testing::StartsWith(
                       "short of memory\ndefault/web was evicted: the node was low on memory."));
  EXPECT_THAT(out, HasSubstr("Had default/web used 40Mi less, no pod would have been evicted."));
  EXPECT_THAT(Run({"--output", "json"}, 0), HasSubstr("\"outcome\":\"evicted\""));
}

TEST_F(ExplainFileTest, EachAnswerForProgramsIsALineAndNamesItsRecord) {
  Scenario nameless = TwoPasses();
  nameless.name.clear();
  Scenario second = TwoPasses();
  second.name = "the day after";
  std::string lines;
  for (const Scenario& scenario : {TwoPasses(), second, nameless}) {
    std::string line;
    WriteScenario(scenario, line);
    lines += line + "\n";
  }
  std::ofstream(path_) << lines;
  std::istringstream out(Run({"--output", "json"}, 0));
  std::vector<std::string> records;
  for (std::string line; std::getline(out, line);) {
    const auto answer = nlohmann::json::parse(line);
    EXPECT_EQ(answer["outcome"], "evicted");
    records.push_back(answer.value("record", "none"));
  }
  EXPECT_THAT(records, testing::ElementsAre("short of memory", "the day after", "none"));
}

TEST_F(ExplainFileTest, ThePassesOfARecordingAreExplained) {
  std::string bytes;
  RecordingWriter writer([&](std::string_view written) -> Result<void> {
    bytes += written;
    return {};
  });
  ASSERT_TRUE(writer.Add(RecordingAbout{.node = "n", .maker = "jettison"}));
  for (RecordedPass& pass : RecordedPassesOf(TwoPasses())) {
    ASSERT_TRUE(writer.Add(std::make_shared<const RecordedPass>(std::move(pass))));
  }
  ASSERT_TRUE(writer.Finish());
  std::ofstream(path_, std::ios::binary) << bytes;
  const std::string out = Run({"web"}, 0);
  EXPECT_THAT(out, testing::StartsWith("default/web was evicted: the node was low on memory."));
  EXPECT_THAT(out, HasSubstr("Had default/web used 40Mi less, no pod would have been evicted."));
  EXPECT_EQ(Run({}, 0), out) << "the other pass did nothing";
  EXPECT_EQ(Run({"db"}, 1), "");
  std::string lines;
  LineWriter line_writer([&](std::string_view line) -> Result<void> {
    lines += line;
    return {};
  });
  ASSERT_TRUE(line_writer.Add(RecordingAbout{.node = "n", .maker = "jettison"}));
  for (RecordedPass& pass : RecordedPassesOf(TwoPasses())) {
    ASSERT_TRUE(line_writer.Add(std::make_shared<const RecordedPass>(std::move(pass))));
  }
  std::ofstream(path_) << lines;
  EXPECT_EQ(Run({"web"}, 0), out) << "the same as NDJSON";
}

TEST_F(ExplainFileTest, ADamagedFirstByteIsSaidOnceAndWhatItMeans) {
  const auto complaints = [this](const std::string& text) {
    std::ofstream(path_) << text;
    const CommandRun run = Explain({});
    EXPECT_EQ(run.status, 2);
    EXPECT_EQ(run.out, "");
    return run.complaint;
  };
  const std::string recording = "X" + std::string(kChunkMagic.substr(1)) + "\x01\n\x02\n{\n";
  EXPECT_EQ(
      complaints(recording),
      fmt::format("jettison: {0}:1: this is a recording of a node whose first byte is damaged; "
                  "`jettison show {0}` says what is intact of it\n",
                  path_));
  std::string line;
  WriteScenario(TwoPasses(), line);
  line[0] = 'X';
  EXPECT_EQ(complaints(line + "\n"),
            fmt::format("jettison: {}:1: a record is a JSON object and begins with {{; is the file "
                        "damaged, or something else?\n",
                        path_));
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
