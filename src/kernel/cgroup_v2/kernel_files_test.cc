#include "kernel/cgroup_v2/kernel_files.h"

#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <string>

#include "kernel/groups/kept_files.h"

namespace jettison::cgroup_v2 {
namespace {

std::string Recorded(const std::string& name) {
  std::ifstream file(std::string(JETTISON_ROOM_TESTDATA) + "/" + name);
  return {std::istreambuf_iterator<char>(file), {}};
}

struct Kernel {
  const char* folder;
  std::uint64_t usage;
  MemoryStat pod;
  MemoryStat root;
};

class KernelFilesOf : public testing::TestWithParam<Kernel> {};

TEST_P(KernelFilesOf, AreUnderstood) {
  const std::string folder = std::string(GetParam().folder) + "/";
  const auto expect = [&](const char* name, const MemoryStat& expected) {
    const auto stat = ParseMemoryStat(Recorded(folder + name));
    ASSERT_TRUE(stat) << stat.error().message;
    EXPECT_EQ(stat->anon, expected.anon);
    EXPECT_EQ(stat->file, expected.file);
    EXPECT_EQ(stat->inactive_file, expected.inactive_file);
  };
  expect("memory.stat", GetParam().pod);
  expect("root.memory.stat", GetParam().root);
  EXPECT_EQ(*kernel::ParseCounter(Recorded(folder + "memory.current")), GetParam().usage);
  EXPECT_EQ(*kernel::ParseMax(Recorded(folder + "memory.max")), 33554432U);
  EXPECT_EQ(*ParseOomKills(Recorded(folder + "memory.events")), 1U);
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
                                                .pod = {.anon = 57344, .file = 8388608},
                                                .root = {.anon = 233472, .file = 10391552}},
                                         Kernel{.folder = "6.12",
                                                .usage = 8531968,
                                                .pod = {.anon = 53248, .file = 8388608},
                                                .root = {.anon = 225280, .file = 10391552}}));

TEST(KernelFiles, AHybridHostOfLinux618HasNoMemoryInTheUnifiedHierarchy) {
  EXPECT_FALSE(HasController(Recorded("6.18/root.cgroup.controllers"), "memory"));
}

TEST(KernelFiles, WhatMemoryIsMadeOfIsReadWhereTheKernelTells) {
  const auto stat = ParseMemoryStat("anon 5\nfile 7\nkernel 9\nshmem 2\ninactive_file 3\n");
  ASSERT_TRUE(stat);
  EXPECT_EQ(stat->kernel, 9U);
  EXPECT_EQ(stat->shmem, 2U);
  EXPECT_FALSE(ParseMemoryStat("anon 5\nfile 7\ninactive_file 3\n")->kernel) << "before 5.18";
}

TEST(KernelFiles, AMemoryStatWithoutARowItNeedsIsAnErrorNotAZero) {
  for (const char* hostile :
       {"", "anon 5\n", "anon 5\nfile 7\n", "file 7\ninactive_file 3\n",
        "anon 5\nfile 7\ninactive_file", "anon 5\nfile 7\ninactive_file \n",
        "anon -5\nfile 7\ninactive_file 3\n", "anon 5\nfile 7 kB\ninactive_file 3\n",
        "anon 5\nfile 99999999999999999999\ninactive_file 3\n",
        "anon\t5\nfile\t7\ninactive_file\t3\n"}) {
    const auto stat = ParseMemoryStat(hostile);
    ASSERT_FALSE(stat) << hostile;
    EXPECT_EQ(stat.error().code, ErrorCode::kInternal);
  }
}

}  // namespace
}  // namespace jettison::cgroup_v2
