#include "kernel/cgroup_v1/cgroup_v1.h"

#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>
#include <iterator>

#include "kernel/cgroup_v1/hierarchies.h"
#include "kernel/files/testing/temporary_folder.h"
#include "kernel/groups/open_files.h"

namespace jettison {
namespace {

using namespace cgroup_v1;
using testing::ElementsAre;
using testing::HasSubstr;

class CgroupV1Tree : public testing::Test {
 protected:
  void SetUp() override {
    std::filesystem::create_directories(base_ / "memory");
    std::filesystem::create_directories(base_ / "cpu,cpuacct");
  }

  [[nodiscard]] std::string Mount(const std::string& point, const std::string& options) const {
    return "1 1 0:1 / " + (base_ / point).string() + " rw - cgroup cgroup rw," + options + "\n";
  }
  [[nodiscard]] Result<std::unique_ptr<CgroupV1>> OpenWith(const std::string& mountinfo,
                                                           const std::string& node = "") const {
    std::ofstream(base_ / "mountinfo") << mountinfo;
    return CgroupV1::Open({.node_cgroup = node, .mountinfo_file = base_ / "mountinfo"});
  }
  [[nodiscard]] Result<std::unique_ptr<CgroupV1>> OpenUsual(const std::string& node = "") const {
    return OpenWith(Mount("memory", "memory") + Mount("cpu,cpuacct", "cpu,cpuacct"), node);
  }

  const kernel::TemporaryFolder folder_;
  const std::filesystem::path base_ = folder_.path();
};

TEST_F(CgroupV1Tree, AGroupWithTheNameOfAFileOfTheKernelIsRefusedWithWhatToDo) {
  const auto groups = OpenUsual().value();
  std::filesystem::create_directories(base_ / "memory/pod");
  std::ofstream(base_ / "memory/pod/tasks") << "";
  const auto made = groups->Create("pod/tasks", {});
  ASSERT_FALSE(made);
  EXPECT_THAT(made.error().message, HasSubstr("give the container another name"));
}

TEST_F(CgroupV1Tree, WhatCannotBeEnteredSaysWhatToDo) {
  const auto opened = OpenWith(Mount("cpu,cpuacct", "cpu,cpuacct"));
  ASSERT_FALSE(opened);
  EXPECT_EQ(opened.error().code, ErrorCode::kUnavailable);
  EXPECT_THAT(opened.error().message, HasSubstr("mount -t cgroup -o memory"));
  const auto no_group = OpenUsual("node");
  ASSERT_FALSE(no_group);
  EXPECT_EQ(no_group.error().code, ErrorCode::kNotFound);
  EXPECT_THAT(no_group.error().message, HasSubstr("nodeCgroup"));
}

TEST_F(CgroupV1Tree, WithoutItsControllerAGroupHasNoSharesAndALimitIsSaidNotSkipped) {
  const auto opened = OpenWith(Mount("memory", "memory")).value();
  EXPECT_TRUE(opened->Create("pod", {.cpu_shares = 2}));
  EXPECT_TRUE(opened->HasCpuShares("pod", 2).value_or(false));
  for (const CgroupLimits& limits :
       {CgroupLimits{.cpu_quota_us = 1000, .cpu_period_us = 100000}, CgroupLimits{.pids_max = 5}}) {
    const auto limited = opened->Create("pod", limits);
    ASSERT_FALSE(limited);
    EXPECT_EQ(limited.error().code, ErrorCode::kUnavailable);
    EXPECT_THAT(limited.error().message, HasSubstr(limits.pids_max ? "pids controller" : "cpu"));
  }
}

TEST_F(CgroupV1Tree, AReadingWithoutItsFilesIsUnknownNotZero) {
  const auto cgroups = OpenUsual();
  EXPECT_EQ((*cgroups)->ReadMemory("gone").error().code, ErrorCode::kNotFound);
  ASSERT_TRUE((*cgroups)->Create("a", {}));
  std::ofstream(base_ / "memory/a/memory.usage_in_bytes") << "12\n";
  std::ofstream(base_ / "memory/a/memory.stat") << "half a fi";
  EXPECT_FALSE((*cgroups)->ReadMemory("a"));
}

TEST(Hierarchies, AMountOfTheRootWinsOverABoundGroupInEitherOrder) {
  const auto find = [](const std::string& text) {
    return FindHierarchies(kernel::ParseMounts(text));
  };
  const std::string unified = "25 24 0:22 / /sys/fs/cgroup rw shared:9 - cgroup2 cgroup2 rw\n";
  EXPECT_EQ(find(unified)[Controller::kUnified], "/sys/fs/cgroup");
  EXPECT_EQ(find(unified)[Controller::kMemory], std::nullopt);
  const std::string whole =
      "35 31 0:32 / /sys/fs/cgroup/memory rw,relatime shared:7 - cgroup cgroup rw,memory\n";
  const std::string bound = "40 31 0:32 /docker/x /other rw - cgroup cgroup rw,memory\n";
  for (const std::string& text : {bound + whole, whole + bound}) {
    EXPECT_EQ(find(text)[Controller::kMemory], "/sys/fs/cgroup/memory");
  }
  EXPECT_EQ(find(bound)[Controller::kMemory], "/other");
}

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
      "total_inactive_file 42\n",
      "hierarchical_memory_limit 5\n",
      "hierarchical_memory_limit 5\ntotal_inactive_file \n",
      "hierarchical_memory_limit 5\ntotal_inactive_file 4 2\n",
      "hierarchical_memory_limit 5\nxtotal_inactive_file 42\n",
      "hierarchical_memory_limit 5\ntotal_inactive_file -42\n",
      "hierarchical_memory_limit x\ntotal_inactive_file 42\n",
  };
  for (const std::string& text : hostile) EXPECT_FALSE(MemoryOf(text, 50)) << text;
}

TEST(KernelFiles, WhatMemoryIsMadeOfIsReadWhereTheKernelTells) {
  const auto read =
      MemoryOf(
          "cache 1\nhierarchical_memory_limit 5\ntotal_cache 30\ntotal_rss 20\ntotal_shmem 10\n"
          "total_inactive_file 42\ntotal_active_file 1\n",
          60)
          .value();
  EXPECT_EQ(read.memory.shared, 10U);
  EXPECT_EQ(read.memory.kernel, 10U) << "beside cache and anonymous memory";
  const auto old = MemoryOf("hierarchical_memory_limit 5\ntotal_inactive_file 42\n", 60).value();
  EXPECT_FALSE(old.memory.shared) << "unknown, not none";
}

}  // namespace
}  // namespace jettison
