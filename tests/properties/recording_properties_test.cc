// A replay equals its recording: passes run from values in memory, written out as JSON, read back
// and run again, give the identical report.

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "apply/pass.h"
#include "codec/flight/recording_reader.h"
#include "codec/flight/recording_writer.h"
#include "codec/recordings/replay_writer.h"
#include "codec/recordings/scenario_reader.h"
#include "codec/recordings/testing/scenario_writer.h"
#include "sim/replay.h"
#include "tests/random_scenario.h"

namespace jettison {
namespace {

std::string ReplayLine(const Scenario& scenario) {
  std::string line;
  WriteReplay(scenario, Replay(scenario), line);
  return line;
}

Scenario ReadBack(const std::string& text) {
  Scenario scenario;
  const auto read = ReadScenario(text, scenario);
  EXPECT_TRUE(read) << read.error().message;
  return scenario;
}

TEST(Recording, AReplayEqualsItsRecording) {
  int evictions = 0;
  for (std::uint32_t seed = 0; seed < 60; ++seed) {
    const Scenario recorded = SomeScenario(seed);
    std::string text;
    WriteScenario(recorded, text);
    const std::string line = ReplayLine(recorded);
    ASSERT_EQ(ReplayLine(ReadBack(text)), line);
    evictions += line.find("evictions") != std::string::npos ? 1 : 0;
  }
  EXPECT_GT(evictions, 30) << "the scenarios are too peaceful to prove anything";
}

TEST(Recording, HowOldDiskFiguresWereIsRecorded) {
  int marked = 0;
  for (std::uint32_t seed = 0; seed < 20; ++seed) {
    Scenario recorded = SomeScenario(seed);
    for (ScenarioStep& step : recorded.steps) {
      for (std::size_t i = 0; i < step.summary.pods.size(); ++i, ++marked) {
        if (i % 3 == 0) step.summary.pods[i].stale_disk = StaleDisk{};
        if (i % 3 == 1) step.summary.pods[i].stale_disk = StaleDisk{.measured_at = Instant()};
      }
    }
    std::string text;
    WriteScenario(recorded, text);
    const Scenario read = ReadBack(text);
    for (std::size_t s = 0; s < read.steps.size(); ++s) {
      for (std::size_t i = 0; i < read.steps[s].summary.pods.size(); ++i) {
        const auto& stale = read.steps[s].summary.pods[i].stale_disk;
        ASSERT_EQ(stale.has_value(), i % 3 != 2);
        if (stale) {
          ASSERT_EQ(stale->measured_at.has_value(), i % 3 == 1);
        }
      }
    }
    ASSERT_EQ(ReplayLine(read), ReplayLine(recorded));
  }
  EXPECT_GT(marked, 20);
}

TEST(Recording, TheSameScenarioGivesTheSameReportEveryTime) {
  const Scenario scenario = SomeScenario(3);
  EXPECT_EQ(ReplayLine(scenario), ReplayLine(scenario));
}

// What a pass may have known of earlier evictions; absent one time in four.
std::optional<PaceInput> SomePace(std::mt19937& random, Instant now) {
  if (random() % 4 == 0) return std::nullopt;
  const auto amount = [&] { return static_cast<std::int64_t>(random() % (1U << 30)); };
  PaceInput pace{.signal = random() % 4 == 0 ? Signal::kPidAvailable : Signal::kMemoryAvailable,
                 .ending = amount()};
  if (random() % 2 == 0) pace.kubelet_decides = now + std::chrono::milliseconds(random() % 2000);
  if (random() % 2 == 0) pace.next_by_clock = now + std::chrono::seconds(random() % 10);
  if (random() % 2 == 0) pace.growth = amount();
  pace.growth_of_pods = amount();
  if (pace.growth_of_pods % 3 == 0) {
    pace.soft = SoftHold{.reason = static_cast<PaceReason>(
                             pace.growth_of_pods % static_cast<int>(kNamesOf<PaceReason>.size())),
                         .until = now + std::chrono::seconds(pace.growth_of_pods % 60)};
  }
  return pace;
}

// The passes of a scenario as an agent records them, each with the state it began with.
std::vector<RecordedPass> PassesOf(const Scenario& scenario) {
  std::vector<RecordedPass> passes;
  EvictionState state;
  std::vector<ActivePod> scratch;
  std::mt19937 random(static_cast<std::uint32_t>(scenario.pods.size()));
  for (const ScenarioStep& step : scenario.steps) {
    RecordedPass& pass = passes.emplace_back();
    pass.number = passes.size();
    pass.policy = std::make_shared<const PassPolicy>(scenario.policy);
    pass.before = state;
    pass.summary = step.summary;
    pass.after_reclaim = step.summary_after_reclaim;
    pass.pace = SomePace(random, scenario.start + step.at);
    std::vector<const PodFacts*> active;
    for (const std::size_t i : step.active) {
      pass.pods.push_back(std::make_shared<const PodFacts>(scenario.pods[i]));
      active.push_back(pass.pods.back().get());
    }
    ImaginedNode node = NodeOf(scenario, step);
    NodePorts ports{.killer = node, .reclaimer = node, .summaries = node};
    pass.report = RunPass(scenario.policy,
                          {.now = scenario.start + step.at,
                           .summary = pass.summary,
                           .pods = active,
                           .full_ranking = true,
                           .pace = pass.pace},
                          ports, state, scratch);
  }
  return passes;
}

std::string ReportText(const CycleReport& report) {
  std::string text;
  JsonWriter json(text);
  json.Object([&] { WriteReport(report, json); });
  return text;
}

// A pass as /api/v1/cycles answers it, and what is read of that.
std::vector<std::string> LinesOf(const RecordedPass& pass, Profile profile) {
  std::vector<std::string> lines;
  LineWriter writer([&](std::string_view line) -> Result<void> {
    lines.emplace_back(line);
    return {};
  });
  EXPECT_TRUE(writer.Add(RecordingAbout{.maker = "jettison", .profile = profile}));
  EXPECT_TRUE(writer.Add(std::make_shared<const RecordedPass>(pass)));
  return lines;
}

std::shared_ptr<const RecordedPass> PassIn(const std::vector<std::string>& lines) {
  std::size_t next = 0;
  RecordingReader reader([&](std::span<char> into) -> Result<std::size_t> {
    if (next == lines.size()) return 0;
    return lines[next++].copy(into.data(), into.size());
  });
  for (;;) {
    const auto item = reader.Next();
    EXPECT_TRUE(item) << item.error().message;
    if (!item || !*item) return nullptr;
    if (const auto* pass = std::get_if<std::shared_ptr<const RecordedPass>>(&**item)) return *pass;
  }
}

TEST(Recording, APassReplaysAloneFromTheStateItBeganWith) {
  std::size_t later_evictions = 0;
  std::size_t waits = 0;
  for (std::uint32_t seed = 0; seed < 40; ++seed) {
    Scenario scenario = SomeScenario(seed);
    scenario.pods[seed % scenario.pods.size()].protection = Protection::kObserved;
    scenario.steps[2].reclaim_under_way = seed % 3 == 0;
    for (const RecordedPass& pass : PassesOf(scenario)) {
      const std::vector<std::string> lines = LinesOf(pass, scenario.profile);
      const auto read = PassIn(lines);
      ASSERT_TRUE(read);
      const std::vector<StepOutcome> outcomes = Replay(ScenarioOf(*read, scenario.profile));
      ASSERT_EQ(outcomes.size(), 1U);
      ASSERT_EQ(ReportText(outcomes[0].report), ReportText(pass.report)) << lines.back();
      waits += pass.report.pause ? 1 : 0;
      if (pass.number > 1) later_evictions += pass.report.evictions.size();
    }
  }
  EXPECT_GT(later_evictions, 20U) << "the passes are too peaceful to prove anything";
  EXPECT_GT(waits, 10U) << "nobody had to wait";
}

// Whoever waits is the one that would have gone.
TEST(Recording, WaitingNeverChangesWhoTheVictimIs) {
  std::size_t waits = 0;
  for (std::uint32_t seed = 0; seed < 40; ++seed) {
    const Scenario scenario = SomeScenario(seed);
    for (const RecordedPass& pass : PassesOf(scenario)) {
      if (!pass.report.pause) continue;
      RecordedPass at_once = pass;
      at_once.pace.reset();
      const auto outcomes = Replay(ScenarioOf(at_once, scenario.profile));
      ASSERT_EQ(outcomes.size(), 1U);
      const CycleReport& report = outcomes[0].report;
      ASSERT_EQ(report.evictions.size(), 1U);
      // A pace of a less urgent signal says that evictions for more urgent ones wait.
      if (report.ranked_for != pass.pace->signal) continue;
      ++waits;
      EXPECT_EQ(report.evictions[0].order.pod_uid, pass.report.pause->pod_uid);
      EXPECT_EQ(report.ranking, pass.report.ranking);
    }
  }
  EXPECT_GT(waits, 10U) << "nobody had to wait";
}

// The answer to a record, or what is wrong with it.
std::string Answer(Scenario& scenario, const std::string& text) {
  const auto read = ReadScenario(text, scenario);
  return read ? ReplayLine(scenario) : read.error().message;
}

// The record itself, and some that differ from it in one place.
std::vector<std::string> Variants(const std::string& record, std::mt19937& random) {
  constexpr std::string_view kInstead[] = {"null", "7",     "-7", "1.5", "[]",
                                           "{}",   "\"x\"", "{",  "}",   "1 "};
  std::vector<std::string> variants = {record};
  for (const char* name : {"\"pods\"", "\"steps\"", "\"disk\"", "\"state\"", "\"kubeletConfig\""}) {
    const std::size_t at = record.find(name);
    if (at == std::string::npos) continue;
    variants.push_back(record);
    variants.back()[at + 1] = 'x';  // the member is missing
  }
  for (const std::string_view instead : kInstead) {
    const std::size_t at = record.find(':', random() % record.size());
    if (at == std::string::npos) continue;
    const std::size_t end = record.find_first_of(",}]", at);
    variants.push_back(record.substr(0, at + 1) + std::string(instead) + record.substr(end));
    variants.push_back(record.substr(0, random() % record.size()));
  }
  return variants;
}

TEST(Recording, ReadingWithUsedMemoryEqualsReadingEachRecordAlone) {
  std::mt19937 random(7);
  std::vector<std::string> records;
  for (std::uint32_t seed = 0; seed < 40; ++seed) {
    std::string text;
    WriteScenario(SomeScenario(seed), text);
    for (std::string& variant : Variants(text, random)) records.push_back(std::move(variant));
  }
  std::shuffle(records.begin(), records.end(), random);
  Scenario used;
  for (const std::string& record : records) {
    Scenario fresh;
    ASSERT_EQ(Answer(used, record), Answer(fresh, record)) << record;
  }
}

}  // namespace
}  // namespace jettison
