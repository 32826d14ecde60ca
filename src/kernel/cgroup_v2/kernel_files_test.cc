#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <string>

#include "kernel/cgroup_v2/cgroup_v2.h"
#include "kernel/cgroup_v2/tree.h"
#include "kernel/groups/open_files.h"

namespace jettison::cgroup_v2 {
namespace {

std::string Recorded(const std::string& name) {
  std::ifstream file(std::string(JETTISON_ROOM_TESTDATA) + "/" + name);
  return {std::istreambuf_iterator<char>(file), {}};
}

struct Kernel {
  const char* folder;
  std::uint64_t usage;
  std::uint64_t pod;   // anonymous memory and page cache
  std::uint64_t root;  // the same
};

class KernelFilesOf : public testing::TestWithParam<Kernel> {};

TEST_P(KernelFilesOf, AreUnderstood) {
  const std::string folder = std::string(GetParam().folder) + "/";
  const auto expect = [&](const char* name, std::uint64_t used) {
    const auto memory = MemoryOf(Recorded(folder + name));
    ASSERT_TRUE(memory) << memory.error().message;
    EXPECT_EQ(memory->usage, used);
    EXPECT_EQ(memory->inactive_file, 0U);
  };
  expect("memory.stat", GetParam().pod);
  expect("root.memory.stat", GetParam().root);
  EXPECT_EQ(*kernel::ParseCounter(Recorded(folder + "memory.current")), GetParam().usage);
  EXPECT_EQ(*kernel::ParseMax(Recorded(folder + "memory.max")), 33554432U);
  EXPECT_EQ(*kernel::RowNumber(Recorded(folder + "memory.events"), "oom_kill"), 1U);
  EXPECT_EQ(*kernel::ParseCounter(Recorded(folder + "pids.current")), 1U);
  EXPECT_EQ(*kernel::ParseMax(Recorded(folder + "pids.max")), 10U);
  EXPECT_EQ(*ParseCpuQuota(Recorded(folder + "cpu.max")), "max");
  EXPECT_EQ(kernel::ParseProcs(Recorded(folder + "cgroup.procs"))->size(), 1U);
  EXPECT_TRUE(HasController(Recorded(folder + "root.cgroup.controllers"), "memory"));
  EXPECT_FALSE(HasController(Recorded(folder + "cgroup.controllers"), "io"));
}

INSTANTIATE_TEST_SUITE_P(Linux, KernelFilesOf,
                         testing::Values(Kernel{.folder = "6.1",
                                                .usage = 8523776,
                                                .pod = 57344 + 8388608,
                                                .root = 233472 + 10391552},
                                         Kernel{.folder = "6.12",
                                                .usage = 8531968,
                                                .pod = 53248 + 8388608,
                                                .root = 225280 + 10391552}));

TEST(KernelFiles, AHybridHostOfLinux618HasNoMemoryInTheUnifiedHierarchy) {
  EXPECT_FALSE(HasController(Recorded("6.18/root.cgroup.controllers"), "memory"));
}

TEST(KernelFiles, WhatMemoryIsMadeOfIsReadWhereTheKernelTells) {
  const auto memory = MemoryOf("anon 5\nfile 7\nkernel 9\nshmem 2\ninactive_file 3\n");
  ASSERT_TRUE(memory);
  EXPECT_EQ(memory->usage, 12U);
  EXPECT_EQ(memory->kernel, 9U);
  EXPECT_EQ(memory->shared, 2U);
  EXPECT_FALSE(MemoryOf("anon 5\nfile 7\ninactive_file 3\n")->kernel) << "before 5.18";
}

TEST(KernelFiles, AMemoryStatWithoutARowItNeedsIsAnErrorNotAZero) {
  for (const char* hostile :
       {"", "anon 5\n", "anon 5\nfile 7\n", "file 7\ninactive_file 3\n",
        "anon 5\nfile 7\ninactive_file", "anon 5\nfile 7\ninactive_file \n",
        "anon -5\nfile 7\ninactive_file 3\n", "anon 5\nfile 7 kB\ninactive_file 3\n",
        "anon 5\nfile 99999999999999999999\ninactive_file 3\n",
        "anon\t5\nfile\t7\ninactive_file\t3\n"}) {
    const auto memory = MemoryOf(hostile);
    ASSERT_FALSE(memory) << hostile;
    EXPECT_EQ(memory.error().code, ErrorCode::kInternal);
  }
}

}  // namespace
}  // namespace jettison::cgroup_v2
