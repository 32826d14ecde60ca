#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "kernel/cgroup_v1/cgroup_v1.h"
#include "kernel/groups/open_files.h"

namespace jettison::cgroup_v1 {
namespace {

using testing::ElementsAre;

std::string Recorded(const std::string& name) {
  std::ifstream file(std::string(JETTISON_ROOM_TESTDATA) + "/6.18/" + name);
  return {std::istreambuf_iterator<char>(file), {}};
}

TEST(KernelFiles, RealFilesOfLinux618AreUnderstood) {
  EXPECT_EQ(*kernel::ParseCounter(Recorded("memory.usage_in_bytes")), 28925952U);
  const auto memory = MemoryOf(Recorded("memory.stat"), 28925952);
  ASSERT_TRUE(memory) << memory.error().message;
  EXPECT_EQ(memory->memory.inactive_file, 45056U);
  EXPECT_EQ(memory->memory.swap, 0U);
  EXPECT_EQ(memory->limit, 268435456U);
  EXPECT_THAT(*kernel::ParseProcs(Recorded("cgroup.procs")), ElementsAre(9108, 9109));
  EXPECT_EQ(*kernel::RowNumber(Recorded("memory.oom_control"), "oom_kill"), 0U);
}

TEST(KernelFiles, TheUnlimitedValueOfAnyPageSizeIsNoLimit) {
  const auto limit = [](const std::string& bytes) {
    return MemoryOf("hierarchical_memory_limit " + bytes + "\ntotal_inactive_file 1\n", 5)->limit;
  };
  EXPECT_EQ(limit("9223372036854771712"), std::nullopt);  // 4 KiB pages
  EXPECT_EQ(limit("9223372036854710272"), std::nullopt);  // 64 KiB pages
  EXPECT_EQ(limit("0"), 0U);
  EXPECT_EQ(limit("4611686018427387903"), 4611686018427387903U);
}

TEST(KernelFiles, AMemoryStatWithoutARowItNeedsIsAnErrorNotAZero) {
  const std::vector<std::string> hostile = {
      "",
      "cache 1\n",
      "total_inactive_file 42\n",                                   // no limit
      "hierarchical_memory_limit 5\n",                              // no inactive file
      "hierarchical_memory_limit 5\ntotal_inactive_file\n",         // no value
      "hierarchical_memory_limit 5\ntotal_inactive_file \n",        // empty value
      "hierarchical_memory_limit 5\ntotal_inactive_file 4 2\n",     // junk
      "hierarchical_memory_limit 5\nxtotal_inactive_file 42\n",     // other key
      "hierarchical_memory_limit 5\ntotal_inactive_file_x 42\n",    // other key
      "hierarchical_memory_limit 5\ntotal_inactive_file -42\n",     // negative
      "hierarchical_memory_limit 5\ntotal_inactive_file 1e99\n",    // no integer
      "hierarchical_memory_limit x\ntotal_inactive_file 42\n",      // limit no number
      "hierarchical_memory_limit 5\ntotal_inactive_file\t42\n",     // other separator
      "hierarchical_memory_limit 5\r\ntotal_inactive_file 42\r\n",  // other line ends
  };
  for (const std::string& text : hostile) EXPECT_FALSE(MemoryOf(text, 50)) << text;
}

TEST(KernelFiles, WhatMemoryIsMadeOfIsReadWhereTheKernelTells) {
  const auto read = MemoryOf(
      "cache 1\nhierarchical_memory_limit 5\ntotal_cache 30\ntotal_rss 20\ntotal_shmem 10\n"
      "total_inactive_file 42\ntotal_active_file 1\n",
      60);
  ASSERT_TRUE(read);
  EXPECT_EQ(read->memory.shared, 10U);
  EXPECT_EQ(read->memory.kernel, 10U) << "beside cache and anonymous memory";
  const auto old = MemoryOf("hierarchical_memory_limit 5\ntotal_inactive_file 42\n", 60);
  ASSERT_TRUE(old);
  EXPECT_FALSE(old->memory.shared) << "unknown, not none";
}

}  // namespace
}  // namespace jettison::cgroup_v1
