// What a running agent has recorded is what it did: each pass replays to the identical report.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <string>
#include <vector>

#include "cli/recording/recording_file.h"
#include "codec/recordings/replay_writer.h"
#include "sim/replay.h"
#include "tests/live/program.h"
#include "tests/scenarios/agent_bed.h"

namespace jettison {
namespace {

class LiveRecording : public AgentTest {
 protected:
  void Prepare() override {
    bed_.Configure(
        "evictionHard: {memory.available: 100Mi}\nevictionPressureTransitionPeriod: 2s\n");
  }
  // Fetches the recording by the program itself.
  std::vector<RecordedItem> Fetch() {
    const std::string path = bed_.folder() + "/fetched.jtr";
    const std::string command = Quoted(JETTISON_BINARY) + " record " + path + " --server " +
                                bed_.endpoint() + " > " + path + ".out 2>&1";
    EXPECT_EQ(std::system(command.c_str()), 0);
    auto file = RecordingFile::Open(path);
    std::vector<RecordedItem> items;
    EXPECT_TRUE(file);
    if (!file) return items;
    for (;;) {
      auto item = (*file)->source().Next();
      if (!item) {
        ADD_FAILURE() << item.error().message;
        continue;
      }
      if (!*item) return items;
      items.push_back(**std::move(item));
    }
  }
};

std::string ReportText(CycleReport report) {
  report.ranking.clear();  // a replay lists it, an agent does not
  std::string text;
  JsonWriter json(text);
  json.Object([&] { WriteReport(report, json); });
  return text;
}

struct Counts {
  int passes = 0;
  int evictions = 0;
  int starts = 0;
};

Counts CheckEach(const std::vector<RecordedItem>& items) {
  Counts counts;
  Profile profile = Profile::kKubelet;
  for (const RecordedItem& item : items) {
    if (const auto* about = std::get_if<RecordingAbout>(&item)) {
      profile = about->profile;
      ++counts.starts;
    }
    const auto* pass = std::get_if<std::shared_ptr<const RecordedPass>>(&item);
    if (pass == nullptr) continue;
    ++counts.passes;
    counts.evictions += static_cast<int>((*pass)->report.evictions.size());
    const auto outcomes = Replay(ScenarioOf(**pass, profile));
    EXPECT_EQ(ReportText(outcomes.at(0).report), ReportText((*pass)->report))
        << "pass " << (*pass)->number;
  }
  return counts;
}

TEST_F(LiveRecording, EachPassReplaysToTheIdenticalReportAndItGoesOnOverAKill) {
  bed_.StartAgent();
  PutLeak();
  ASSERT_TRUE(IsEvicted("leak"));
  ASSERT_TRUE(IsCleanedUp());
  ASSERT_TRUE(bed_.WaitForLine({"NodeHasSufficientMemory"}, std::chrono::seconds(40)));
  const Counts before = CheckEach(Fetch());
  EXPECT_GE(before.passes, 3);
  EXPECT_GE(before.evictions, 1);
  EXPECT_EQ(before.starts, 1);
  bed_.KillAgent();
  bed_.StartAgent();
  ASSERT_TRUE(IsReady());
  const Counts after = CheckEach(Fetch());
  EXPECT_EQ(after.starts, 2);
  EXPECT_GE(after.passes, before.passes + 1);
}

}  // namespace
}  // namespace jettison
