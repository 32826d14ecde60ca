#include "runtimes/process/runs/found_runs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <thread>

#include "kernel/files/files.h"
#include "kernel/files/temporary_folder.h"
#include "kernel/groups/testing/few_descriptors.h"
#include "runtimes/process/runs/run_record.h"
#include "runtimes/process/shim/run_files.h"

namespace jettison::process {

using namespace kernel;
namespace {

using testing::ElementsAre;

class ReadRunTest : public testing::Test {
 protected:
  void SetUp() override { ASSERT_TRUE(MakeFolders(run_)); }
  void Write(const char* name, std::string_view text) const {
    ASSERT_TRUE(WriteFile(run_ + "/" + name, text));
  }
  [[nodiscard]] std::string RecordOf(std::uint64_t start_time) const {
    return "jettison run 1\nshim " + std::to_string(::getpid()) + " " + std::to_string(start_time) +
           "\ncontainer 13\nboot " + boot_ + "\ncreated 99\noom_kills 4\n";
  }
  [[nodiscard]] FoundRun Read() const { return ReadRun(run_, boot_); }

  TemporaryFolder folder_;
  const std::string run_ = folder_.path() + "/0";
  const std::string boot_ = *ReadBootId();
  const std::string alive_ = RecordOf(shim::StartTimeOfSelf());
  const std::string dead_ = RecordOf(1);
};

TEST_F(ReadRunTest, AFolderAloneNeverRan) {
  EXPECT_EQ(Read().state, RunState::kNeverRan);
}

TEST_F(ReadRunTest, ARunThatWasNotLetGoNeverRanEvenIfItsShimLives) {
  Write("starting", alive_);
  const FoundRun run = Read();
  EXPECT_EQ(run.state, RunState::kNeverRan);
  EXPECT_TRUE(run.shim);
}

TEST_F(ReadRunTest, ALivingShimRuns) {
  Write("running", alive_);
  const FoundRun run = Read();
  EXPECT_EQ(run.state, RunState::kRunning);
  EXPECT_TRUE(run.shim);
  EXPECT_EQ(run.record->oom_kills, 4U);
}

TEST_F(ReadRunTest, ADeadShimWithoutALastWordIsLost) {
  Write("running", dead_);
  EXPECT_EQ(Read().state, RunState::kLost);
  EXPECT_TRUE(Read().fault.empty());
}

TEST_F(ReadRunTest, AnExitRecordIsTheLastWord) {
  Write("running", alive_);
  Write("exit", FormatExitRecord({.code = 3}));
  const FoundRun run = Read();
  EXPECT_EQ(run.state, RunState::kEnded);
  EXPECT_EQ(run.exit->code, 3);
  Write("exit", FormatExitRecord({.outcome = RunOutcome::kFailed}));
  EXPECT_EQ(Read().state, RunState::kNeverRan);
}

// The other way round, both files seem to be missing where the shim renames one into the other
// between the two looks.
TEST_F(ReadRunTest, AShimThatLetsItsProgramGoMeanwhileIsSeen) {
  const std::string starting = run_ + "/starting";
  const std::string running = run_ + "/running";
  std::atomic<int> go{0};
  std::jthread shim([&] {
    for (int round = 1;; ++round) {
      int now = 0;
      while ((now = go.load()) != round && now >= 0) continue;
      if (now < 0) return;
      for (int i = 0; i < 40 * (round % 64); ++i) (void)go.load();
      (void)std::rename(starting.c_str(), running.c_str());
    }
  });
  int unseen = 0;
  for (int round = 1; round <= 200; ++round) {
    (void)::unlink(running.c_str());
    Write("starting", alive_);
    go = round;
    unseen += Read().shim ? 0 : 1;
    while (Exists(starting)) std::this_thread::yield();
  }
  go = -1;
  EXPECT_EQ(unseen, 0);
}

TEST_F(ReadRunTest, HowARunStandsWhoseRecordIsDamagedIsNotKnown) {
  for (const char* name : {"starting", "running"}) {
    Write(name, "rubbish");
    const FoundRun run = Read();
    EXPECT_EQ(run.state, RunState::kUnknown);
    EXPECT_FALSE(run.passing);
    EXPECT_EQ(run.let_go, std::string_view(name) == "running");
    EXPECT_NE(run.fault.find("/" + std::string(name) + ": line 1"), std::string::npos);
  }
  Write("exit", FormatExitRecord({.code = 3}));
  EXPECT_EQ(Read().state, RunState::kEnded) << "the exit file suffices without a record";
}

TEST_F(ReadRunTest, ADamagedLastWordIsLost) {
  Write("running", alive_);
  Write("exit", "");
  EXPECT_EQ(Read().state, RunState::kLost);
  EXPECT_NE(Read().fault.find("/exit: line 1"), std::string::npos);
}

TEST_F(ReadRunTest, WhatCannotBeReadJustNowSaysNothingOfARun) {
  Write("running", dead_);
  Write("exit", FormatExitRecord({.code = 3}));
  {
    const kernel::FewDescriptors none(0);
    const FoundRun run = Read();
    EXPECT_EQ(run.state, RunState::kUnknown);
    EXPECT_TRUE(run.passing);
    std::vector<std::string> strange;
    EXPECT_FALSE(ReadRuns(Paths(folder_.path()), "u", "boot", strange).has_value());
  }
  EXPECT_EQ(Read().state, RunState::kEnded);
}

TEST_F(ReadRunTest, TheEndOfARunIsReadFromItsExitRecordAlone) {
  Write("running", "rubbish");
  EXPECT_EQ(ReadEnd(run_).state, RunState::kLost);
  EXPECT_TRUE(ReadEnd(run_).fault.empty());
  Write("exit", FormatExitRecord({.code = 3}));
  EXPECT_EQ(ReadEnd(run_).state, RunState::kEnded);
  EXPECT_EQ(ReadEnd(run_).exit->code, 3);
  {
    const kernel::FewDescriptors none(0);
    EXPECT_EQ(ReadEnd(run_).state, RunState::kUnknown);
    EXPECT_TRUE(ReadEnd(run_).passing);
  }
  Write("exit", "");
  EXPECT_EQ(ReadEnd(run_).state, RunState::kLost);
  EXPECT_NE(ReadEnd(run_).fault.find("/exit: line 1"), std::string::npos);
}

TEST(ReadRuns, SortsByAttemptAndSetsAsideWhatIsNoRun) {
  const TemporaryFolder folder;
  const Paths paths(folder.path());
  for (const char* name : {"10", "9", "0", "8.gone", "-1", "x"}) {
    ASSERT_TRUE(MakeFolders(paths.Container("u", "c") + "/" + name));
  }
  ASSERT_TRUE(MakeFolders(paths.Run("u", "b", 3)));
  ASSERT_TRUE(WriteFile(paths.Containers("u") + "/stray", "of a container"));
  std::vector<std::string> strange;
  const auto runs = *ReadRuns(paths, "u", "boot", strange);
  std::vector<std::pair<std::string, int>> names;
  for (const FoundRun& run : runs) names.emplace_back(run.container, run.attempt);
  EXPECT_THAT(names, ElementsAre(std::pair("b", 3), std::pair("c", 0), std::pair("c", 9),
                                 std::pair("c", 10)));
  EXPECT_EQ(strange.size(), 3U);
  EXPECT_TRUE(ReadRuns(paths, "nobody", "boot", strange)->empty());
}

TEST(OomKilled, IsTheRunDuringWhichTheCounterMoved) {
  FoundRun runs[4];
  for (auto& run : runs) run.record.emplace();
  runs[0].record->oom_kills = 0;
  runs[1].record->oom_kills = 1;
  runs[2].record.reset();
  runs[3].record->oom_kills = 1;
  const std::vector<const FoundRun*> all = {&runs[0], &runs[1], &runs[2], &runs[3]};
  EXPECT_THAT(OomKilled(all, 1), ElementsAre(true, false, false, false));
  EXPECT_THAT(OomKilled(all, 2), ElementsAre(true, false, false, true));
  EXPECT_TRUE(OomKilled({}, 5).empty());
}

}  // namespace
}  // namespace jettison::process
