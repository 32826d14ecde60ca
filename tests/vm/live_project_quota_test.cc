// A disk that counts projects, which this host's kernel cannot.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <linux/fs.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "agent/disk/disk_measurer.h"
#include "kernel/project_quota/project_quota.h"
#include "ports/fakes/fake_clock.h"
#include "ports/file_descriptor.h"

namespace jettison {
namespace {

namespace fs = std::filesystem;

// On the file system that JETTISON_PRJQUOTA_FS names, ext4 or xfs: tests/vm boots a kernel that has
// quota, with a disk for it.
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
  // A pod whose emptyDir got a project and then a file of 1 MiB two folders down.
  [[nodiscard]] PodDisk PodWithAFile() const {
    const std::string volume = top_ / "volume";
    fs::create_directory(volume);
    PodDisk pod = {.empty_dirs = {{.name = "v", .path = volume}}};
    AssignProjects(pod);
    fs::create_directories(volume + "/a/b");
    std::ofstream(volume + "/a/b/file") << std::string(1 << 20, 'x') << std::flush;
    return pod;
  }
  PodDiskUse Pass(const PodDisk& pod) {
    measurer_.BeginPass();
    PodDiskUse use = measurer_.Measure(pod);
    measurer_.EndPass();
    return use;
  }
  // Whether a project comes down to so many inodes, which on xfs takes the time to free what was
  // deleted in the background. One that xfs no longer knows has none.
  [[nodiscard]] bool HasInodes(ProjectId project, std::uint64_t inodes) const {
    const auto give_up = std::chrono::steady_clock::now() + std::chrono::seconds(60);
    while (std::chrono::steady_clock::now() < give_up) {
      const auto usage = ReadProjectUsage(top_, project);
      if (!usage && usage.error().code != ErrorCode::kNotFound) return false;
      if ((usage ? *usage->inodes_used : 0U) == inodes) return true;
    }
    return false;
  }

  fs::path top_;
  FakeClock clock_;
  DiskMeasurer measurer_{clock_, {}};
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
  EXPECT_TRUE(HasInodes(*project, 1));
}

TEST_F(LiveProjectQuota, EachFolderGetsAProjectOfItsOwnThatIsFreeAgainWhenItHasGone) {
  fs::create_directory(top_ / "one");
  fs::create_directory(top_ / "two");
  const auto one = AssignProject(top_ / "one");
  const auto two = AssignProject(top_ / "two");
  ASSERT_TRUE(one && two);
  EXPECT_NE(*one, *two);
  fs::remove(top_ / "one");
  EXPECT_TRUE(HasInodes(*one, 0));
  fs::create_directory(top_ / "three");
  const auto three = AssignProject(top_ / "three");
  ASSERT_TRUE(three);
  EXPECT_GT(*three, *two) << "numbers are given again only when all have been given once";
}

TEST_F(LiveProjectQuota, AFolderThatHoldsSomethingIsLeftAlone) {
  fs::create_directories(top_ / "volume/before");
  EXPECT_EQ(AssignProject(top_ / "volume").error().code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(ProjectOf(top_ / "volume").value(), std::nullopt);
}

TEST_F(LiveProjectQuota, AnEmptyDirOfAPodIsCountedAndNotWalked) {
  const PodDisk pod = PodWithAFile();
  const PodDiskUse use = Pass(pod);
  EXPECT_EQ(use.total.inodes_used, 4U);
  EXPECT_GE(use.total.used_bytes, 1U << 20);
  EXPECT_EQ(measurer_.full_walks(), 0U);
}

TEST_F(LiveProjectQuota, AFileThatWasTakenOutOfItsProjectIsSeenWithinTheFullWalksPeriod) {
  const PodDisk pod = PodWithAFile();
  const FileDescriptor file(
      ::open((top_ / "volume/a/b/file").c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC));
  fsxattr attributes{};
  ASSERT_EQ(::ioctl(file.get(), FS_IOC_FSGETXATTR, &attributes), 0);
  attributes.fsx_projid = 0;
  ASSERT_EQ(::ioctl(file.get(), FS_IOC_FSSETXATTR, &attributes), 0);
  EXPECT_EQ(Pass(pod).total.inodes_used, 3U);
  clock_.Advance(std::chrono::minutes(5));
  const PodDiskUse use = Pass(pod);
  EXPECT_EQ(use.total.inodes_used, 4U);
  EXPECT_GE(use.total.used_bytes, 1U << 20);
  EXPECT_EQ(Pass(pod).total.inodes_used, 4U) << "what is counted is no longer believed";
  EXPECT_EQ(measurer_.TakeNotes().size(), 1U);
}

}  // namespace
}  // namespace jettison
