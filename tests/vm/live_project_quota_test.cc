// A disk that counts projects, which this host's kernel cannot.
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "agent/disk_measurer.h"
#include "agent/disk_projects.h"
#include "platform/project_quota/project_quota.h"
#include "ports/fakes/fake_clock.h"

namespace jettison {
namespace {

namespace fs = std::filesystem;

// On the file system that JETTISON_PRJQUOTA_FS names: tests/vm boots a kernel that has quota, with
// a disk for it.
class LiveProjectQuota : public testing::Test {
 protected:
  void SetUp() override {
    if (::geteuid() != 0) GTEST_SKIP() << "mounting needs root";
    const char* folder = std::getenv("JETTISON_PRJQUOTA_FS");
    if (folder == nullptr) GTEST_SKIP() << "no file system with project quota";
    top_ = fs::path(folder) / "jettison-quota-XXXXXX";
    std::string name = top_;
    ASSERT_NE(::mkdtemp(name.data()), nullptr);
    top_ = name;
  }
  void TearDown() override {
    if (std::getenv("JETTISON_PRJQUOTA_FS") != nullptr) fs::remove_all(top_);
  }
  fs::path top_;
};

TEST_F(LiveProjectQuota, AFolderIsCountedWithoutBeingLookedAt) {
  fs::create_directory(top_ / "volume");
  const auto project = AssignProject(top_ / "volume");
  ASSERT_TRUE(project) << project.error().message;
  EXPECT_GE(*project, kFirstProject);
  EXPECT_EQ(ProjectOf(top_ / "volume").value(), *project);
  fs::create_directories(top_ / "volume/a/b");
  std::ofstream(top_ / "volume/a/b/file") << std::string(1 << 20, 'x') << std::flush;
  const auto usage = ReadProjectUsage(top_, *project);
  ASSERT_TRUE(usage) << usage.error().message;
  EXPECT_EQ(usage->inodes_used, 4U);
  EXPECT_GE(usage->used_bytes, 1U << 20);
  EXPECT_LT(usage->used_bytes, 2U << 20);
  fs::remove_all(top_ / "volume/a");
  EXPECT_EQ(ReadProjectUsage(top_, *project)->inodes_used, 1U);
}

TEST_F(LiveProjectQuota, EachFolderGetsAProjectOfItsOwnThatIsFreeAgainWhenItHasGone) {
  fs::create_directory(top_ / "one");
  fs::create_directory(top_ / "two");
  const auto one = AssignProject(top_ / "one");
  const auto two = AssignProject(top_ / "two");
  ASSERT_TRUE(one && two);
  EXPECT_NE(*one, *two);
  fs::remove(top_ / "one");
  fs::create_directory(top_ / "three");
  EXPECT_EQ(AssignProject(top_ / "three").value(), *one);
}

TEST_F(LiveProjectQuota, AFolderThatHoldsSomethingIsLeftAlone) {
  fs::create_directories(top_ / "volume/before");
  EXPECT_EQ(AssignProject(top_ / "volume").error().code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(ProjectOf(top_ / "volume").value(), std::nullopt);
}

TEST_F(LiveProjectQuota, AnEmptyDirOfAPodIsCountedAndNotWalked) {
  const std::string volume = top_ / "volume";
  fs::create_directory(volume);
  const PodDisk pod = {.empty_dirs = {{.name = "v", .path = volume}}};
  AssignProjects(pod);
  fs::create_directories(volume + "/a/b");
  std::ofstream(volume + "/a/b/file") << std::string(1 << 20, 'x') << std::flush;
  const FakeClock clock;
  DiskMeasurer measurer(clock, {});
  measurer.BeginPass();
  const PodDiskUse use = measurer.Measure(pod);
  measurer.EndPass();
  EXPECT_EQ(use.total.inodes_used, 4U);
  EXPECT_GE(use.total.used_bytes, 1U << 20);
  EXPECT_EQ(measurer.full_walks(), 0U);
}

}  // namespace
}  // namespace jettison
