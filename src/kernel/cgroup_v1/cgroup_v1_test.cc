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

TEST_F(CgroupV1Tree, WithoutAMemoryControllerTheErrorSaysHowToGetOne) {
  const auto opened = OpenWith(Mount("cpu,cpuacct", "cpu,cpuacct"));
  ASSERT_FALSE(opened);
  EXPECT_EQ(opened.error().code, ErrorCode::kUnavailable);
  EXPECT_THAT(opened.error().message, HasSubstr("mount -t cgroup -o memory"));
}

TEST_F(CgroupV1Tree, TheNodesGroupMustExistInTheMemoryHierarchy) {
  const auto opened = OpenUsual("node");
  ASSERT_FALSE(opened);
  EXPECT_EQ(opened.error().code, ErrorCode::kNotFound);
  EXPECT_THAT(opened.error().message, HasSubstr("nodeCgroup"));
}

TEST_F(CgroupV1Tree, WithoutACpuControllerAGroupHasNoSharesAndCannotHaveAQuota) {
  const auto opened = OpenWith(Mount("memory", "memory")).value();
  EXPECT_TRUE(opened->Create("pod", {.cpu_shares = 2}));
  EXPECT_TRUE(opened->HasCpuShares("pod", 2).value_or(false));
  const auto limited = opened->Create("pod", {.cpu_quota_us = 1000, .cpu_period_us = 100000});
  ASSERT_FALSE(limited);
  EXPECT_EQ(limited.error().code, ErrorCode::kUnavailable);
}

TEST_F(CgroupV1Tree, ALimitWhoseControllerIsNotMountedIsSaidNotSkipped) {
  const auto cgroups = OpenUsual();
  const auto made = (*cgroups)->Create("a", {.pids_max = 5});
  ASSERT_FALSE(made);
  EXPECT_EQ(made.error().code, ErrorCode::kUnavailable);
  EXPECT_THAT(made.error().message, HasSubstr("pids controller"));
}

TEST_F(CgroupV1Tree, AReadingWithoutItsFilesIsUnknownNotZero) {
  const auto cgroups = OpenUsual();
  EXPECT_EQ((*cgroups)->ReadMemory("gone").error().code, ErrorCode::kNotFound);
  ASSERT_TRUE((*cgroups)->Create("a", {}));
  std::ofstream(base_ / "memory/a/memory.usage_in_bytes") << "12\n";
  std::ofstream(base_ / "memory/a/memory.stat") << "half a fi";
  EXPECT_FALSE((*cgroups)->ReadMemory("a"));
}

constexpr const char* kMemoryMount =
    "35 31 0:32 / /sys/fs/cgroup/memory rw,relatime shared:7 - cgroup cgroup rw,memory\n";

MountPoints Find(std::string_view text) {
  return FindHierarchies(kernel::ParseMounts(text));
}

TEST(Hierarchies, APureV2HostHasOnlyTheUnifiedTree) {
  const MountPoints points =
      Find("25 24 0:22 / /sys/fs/cgroup rw shared:9 - cgroup2 cgroup2 rw,nsdelegate\n");
  EXPECT_EQ(points[Controller::kUnified], "/sys/fs/cgroup");
  EXPECT_EQ(points[Controller::kMemory], std::nullopt);
}

TEST(Hierarchies, AMountOfTheRootWinsOverABoundGroupInEitherOrder) {
  const std::string bound = "40 31 0:32 /docker/x /other rw - cgroup cgroup rw,memory\n";
  for (const std::string& text : {bound + kMemoryMount, kMemoryMount + bound}) {
    EXPECT_EQ(Find(text)[Controller::kMemory], "/sys/fs/cgroup/memory");
  }
  EXPECT_EQ(Find(bound)[Controller::kMemory], "/other");
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
