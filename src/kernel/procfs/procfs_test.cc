#include "kernel/procfs/procfs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "kernel/files/temporary_folder.h"

namespace jettison {
namespace {

using testing::HasSubstr;

// A proc mount made of plain files.
class ProcfsTree : public testing::Test {
 protected:
  void SetUp() override {
    std::filesystem::create_directories(root_ / "sys/kernel");
    Write("meminfo", "MemTotal: 1000 kB\n");
    Write("loadavg", "0.00 0.00 0.00 1/88 4929\n");
    Write("sys/kernel/pid_max", "32768\n");
    Write("sys/kernel/threads-max", "1000\n");
  }
  void Write(const std::string& name, const std::string& text) const {
    std::ofstream(root_ / name) << text;
  }
  const kernel::TemporaryFolder folder_;
  const std::filesystem::path root_ = folder_.path();
};

TEST_F(ProcfsTree, MaxPidIsTheSmallerOfPidMaxAndThreadsMax) {
  const auto procfs = Procfs::Open(root_);
  ASSERT_TRUE(procfs) << procfs.error().message;
  EXPECT_EQ(procfs->ReadRlimit()->max_pid, 1000);
  Write("sys/kernel/threads-max", "99999\n");
  EXPECT_EQ(procfs->ReadRlimit()->max_pid, 32768);
  EXPECT_EQ(procfs->ReadRlimit()->running, 88);
}

TEST_F(ProcfsTree, EachReadingIsFresh) {
  const auto procfs = Procfs::Open(root_);
  EXPECT_EQ(procfs->ReadMemory()->total, 1000U * 1024);
  Write("meminfo", "MemTotal: 900 kB\n");
  EXPECT_EQ(procfs->ReadMemory()->total, 900U * 1024);
}

TEST_F(ProcfsTree, AMalformedFileIsNamedInTheError) {
  const auto procfs = Procfs::Open(root_);
  Write("loadavg", "nonsense\n");
  const auto read = procfs->ReadRlimit();
  ASSERT_FALSE(read);
  EXPECT_THAT(read.error().message, HasSubstr("loadavg"));
}

TEST_F(ProcfsTree, AMissingFileFailsTheOpening) {
  std::filesystem::remove(root_ / "loadavg");
  EXPECT_EQ(Procfs::Open(root_).error().code, ErrorCode::kNotFound);
}

TEST(LiveProcfs, TheMachineHasMemoryAndTasks) {
  const auto procfs = Procfs::Open();
  ASSERT_TRUE(procfs) << procfs.error().message;
  EXPECT_GT(procfs->ReadMemory()->WithoutHugePages(), 1U << 20);
  const auto rlimit = procfs->ReadRlimit();
  ASSERT_TRUE(rlimit);
  EXPECT_GT(*rlimit->running, 0);
  EXPECT_GE(*rlimit->max_pid, *rlimit->running);
}

}  // namespace
}  // namespace jettison
