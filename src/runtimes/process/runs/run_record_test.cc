#include "runtimes/process/runs/run_record.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>

#include "kernel/files/files.h"
#include "kernel/files/temporary_folder.h"
#include "runtimes/process/shim/protocol.h"
#include "runtimes/process/shim/run_files.h"

namespace jettison::process {

using namespace kernel;
namespace {

using std::chrono::nanoseconds;

constexpr std::string_view kRun =
    "jettison run 1\nshim 12 345\ncontainer 13\nboot abc\ncreated 99\noom_kills 4\n";
constexpr std::string_view kExit =
    "jettison exit 1\noutcome exited\ncode 137\nsignal 9\nstarted 5\nfinished 6\n"
    "lost_log_bytes 7\n";

TEST(ParseRunRecord, ReadsEveryField) {
  const auto record = ParseRunRecord(kRun);
  ASSERT_TRUE(record) << record.error().message;
  EXPECT_EQ(record->shim, (ProcessIdentity{.pid = 12, .start_time = 345, .boot_id = "abc"}));
  EXPECT_EQ(record->container, 13);
  EXPECT_EQ(record->created, WallTime(nanoseconds(99)));
  EXPECT_EQ(record->oom_kills, 4U);
}

TEST(ParseExitRecord, ReadsWhatFormatExitRecordWrites) {
  for (const RunOutcome outcome : {RunOutcome::kExited, RunOutcome::kFailed, RunOutcome::kLost}) {
    const ExitRecord record{.outcome = outcome,
                            .code = 137,
                            .signal = 9,
                            .started = WallTime(nanoseconds(-5)),
                            .finished = WallTime(nanoseconds(6)),
                            .lost_log_bytes = 7};
    const auto parsed = ParseExitRecord(FormatExitRecord(record));
    ASSERT_TRUE(parsed) << parsed.error().message;
    EXPECT_EQ(*parsed, record);
  }
}

TEST(ParseRecords, RefuseEveryTextThatIsCutOff) {
  for (std::size_t size = 0; size < kRun.size(); ++size) {
    EXPECT_FALSE(ParseRunRecord(kRun.substr(0, size))) << size;
  }
  for (std::size_t size = 0; size < kExit.size(); ++size) {
    EXPECT_FALSE(ParseExitRecord(kExit.substr(0, size))) << size;
  }
  EXPECT_TRUE(ParseExitRecord(kExit));
}

TEST(ParseRecords, RefuseHostileText) {
  const std::string run(kRun);
  const auto with = [&](std::string_view from, std::string_view to) {
    std::string text = run;
    return text.replace(text.find(from), from.size(), to);
  };
  for (const std::string& text :
       {run + "x", run + "\n", with("shim 12 345", "shim 12"), with("shim 12", "shim 1"),
        with("12", "-12"), with("345", "99999999999999999999"), with("run 1", "run 2"),
        with("container 13", "container 13 "), with("abc", ""), with("99", "9x")}) {
    EXPECT_FALSE(ParseRunRecord(text)) << text;
  }
}

TEST(RunFiles, WriteWhatTheAgentReads) {
  const TemporaryFolder folder;
  shim::RunFiles files;
  ASSERT_TRUE(files.Open(folder.path().c_str())) << files.what();
  shim::Order order;
  order.boot_id = "boot-1";
  order.oom_kills = 3;
  ASSERT_TRUE(files.WriteStarting(order, 77, 1234));
  ASSERT_TRUE(files.MarkRunning());
  EXPECT_FALSE(Exists(folder.path() + "/starting"));
  const auto run = ParseRunRecord(*ReadFile(folder.path() + "/running"));
  ASSERT_TRUE(run) << run.error().message;
  EXPECT_EQ(run->shim.pid, ::getpid());
  EXPECT_EQ(run->shim.boot_id, "boot-1");
  EXPECT_EQ(run->container, 77);
  EXPECT_EQ(run->oom_kills, 3U);

  ASSERT_TRUE(files.WriteExit({.failed = false, .code = 3, .started_ns = 1, .finished_ns = 2}));
  EXPECT_FALSE(Exists(folder.path() + "/exit.new"));
  const auto exit = ParseExitRecord(*ReadFile(folder.path() + "/exit"));
  ASSERT_TRUE(exit) << exit.error().message;
  EXPECT_EQ(exit->outcome, RunOutcome::kExited);
  EXPECT_EQ(exit->code, 3);
}

TEST(OpenLiveProcess, KnowsAProcessByPidStartTimeAndBoot) {
  const std::string boot = *ReadBootId();
  const ProcessIdentity self{
      .pid = ::getpid(), .start_time = shim::StartTimeOfSelf(), .boot_id = boot};
  EXPECT_TRUE(*OpenLiveProcess(self, boot));
  EXPECT_FALSE(*OpenLiveProcess(self, "another boot"));
  ProcessIdentity other = self;
  other.start_time += 1;
  EXPECT_FALSE(*OpenLiveProcess(other, boot));
}

}  // namespace
}  // namespace jettison::process
