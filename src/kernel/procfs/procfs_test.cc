#include "kernel/procfs/procfs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "kernel/files/testing/temporary_folder.h"

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

TEST_F(ProcfsTree, AMalformedFileIsNamedInTheError) {
  const auto procfs = Procfs::Open(root_);
  Write("loadavg", "nonsense\n");
  const auto read = procfs->ReadRlimit();
  ASSERT_FALSE(read);
  EXPECT_THAT(read.error().message, HasSubstr("loadavg"));
}

TEST_F(ProcfsTree, ListsOfAnyNumberOfProcessorsAreRead) {
  EXPECT_EQ(Procfs::Open(root_)->ReadListed(), 0U) << "there is no zoneinfo";
  std::string text;
  for (int processor = 0; processor < 500; ++processor) {
    text += "    cpu: " + std::to_string(processor) + "\n              count:    3\n  high: 9\n";
  }
  Write("zoneinfo", text);
  const auto page = static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
  EXPECT_EQ(Procfs::Open(root_)->ReadListed(), 1500 * page);
}

TEST_F(ProcfsTree, WhatTheKernelHoldsIsNamedTheLargestFirst) {
  std::filesystem::create_directories(root_ / "proc");
  std::filesystem::create_directories(root_ / "sys/block/zram0");
  std::filesystem::create_directories(root_ / "sys/block/sda");
  Write("proc/meminfo",
        "MemTotal: 475136 kB\nKernelStack: 1024 kB\nPageTables: 4096 kB\nSecPageTables: 2048 kB\n"
        "SReclaimable: 90000 kB\nSUnreclaim: 20480 kB\nPercpu: 500 kB\n");
  Write("sys/block/zram0/mm_stat", "400000000 190000000 199229440 0 199229440 0 0 0 0\n");
  EXPECT_EQ(procfs::DescribeKernelMemory(std::uint64_t{300} << 20, root_),
            "190 MiB zram, 82 MiB that no file names (pipe buffers, a file system's own cache, "
            "drivers), 20 MiB slab, 6 MiB page tables, 1 MiB stacks");
  EXPECT_EQ(procfs::DescribeKernelMemory(0, root_ / "none"), "");
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
