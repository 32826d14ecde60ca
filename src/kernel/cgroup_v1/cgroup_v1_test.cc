#include "kernel/cgroup_v1/cgroup_v1.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "kernel/files/testing/temporary_folder.h"

// The room on a tree of plain directories: the part that does not need a kernel.
namespace jettison {
namespace {

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
  const auto groups = OpenUsual();
  ASSERT_TRUE(groups);
  std::filesystem::create_directories(base_ / "memory/pod");
  std::ofstream(base_ / "memory/pod/tasks") << "";
  const auto made = (*groups)->Create("pod/tasks", {});
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
  const auto opened = OpenWith(Mount("memory", "memory"));
  ASSERT_TRUE(opened) << opened.error().message;
  EXPECT_TRUE((*opened)->Create("pod", {.cpu_shares = 2}));
  EXPECT_TRUE((*opened)->HasCpuShares("pod", 2).value_or(false));
  const auto limited = (*opened)->Create("pod", {.cpu_quota_us = 1000, .cpu_period_us = 100000});
  ASSERT_FALSE(limited);
  EXPECT_EQ(limited.error().code, ErrorCode::kUnavailable);
}

TEST_F(CgroupV1Tree, AGroupIsMadeOnceInEveryHierarchyBelowTheNode) {
  std::filesystem::create_directories(base_ / "memory/node");
  const auto cgroups = OpenUsual("node");
  ASSERT_TRUE(cgroups);
  ASSERT_TRUE((*cgroups)->Create("kubepods/burstable", {}));
  EXPECT_TRUE(std::filesystem::is_directory(base_ / "memory/node/kubepods/burstable"));
  EXPECT_TRUE(std::filesystem::is_directory(base_ / "cpu,cpuacct/node/kubepods/burstable"));
  EXPECT_THAT(*(*cgroups)->Children("kubepods"), ElementsAre("burstable"));
  EXPECT_THAT(*(*cgroups)->Children(""), ElementsAre("kubepods"));
}

TEST_F(CgroupV1Tree, RemovingTakesTheGroupAndAllBelowFromEveryHierarchy) {
  const auto cgroups = OpenUsual();
  ASSERT_TRUE((*cgroups)->Create("a/b/c", {}));
  ASSERT_TRUE((*cgroups)->Create("a/d", {}));
  ASSERT_TRUE((*cgroups)->Remove("a"));
  EXPECT_TRUE(std::filesystem::is_empty(base_ / "memory"));
  EXPECT_TRUE(std::filesystem::is_empty(base_ / "cpu,cpuacct"));
  EXPECT_TRUE((*cgroups)->Remove("a")) << "removing an absent group succeeds";
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

}  // namespace
}  // namespace jettison
