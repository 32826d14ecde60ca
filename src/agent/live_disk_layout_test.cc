#include <gtest/gtest.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <fstream>
#include <functional>
#include <string>

#include "agent/disk_layout.h"
#include "agent/stats_collector.h"
#include "pod_host/temporary_folder.h"
#include "ports/fakes/fake_cgroups.h"
#include "ports/fakes/fake_clock.h"

namespace jettison {
namespace {

constexpr std::uint64_t kMi = std::uint64_t{1} << 20;

// A folder with file systems of 1, 2 and 4 MiB mounted below, in a mount namespace that vanishes
// with the process that made it. The first is a node's, "node"; the others are "disk2" and "disk3".
class LiveDiskLayout : public testing::Test {
 protected:
  void SetUp() override {
    if (::geteuid() != 0) GTEST_SKIP() << "mounting needs root";
    for (const char* name : {"node", "disk2", "disk3"}) {
      ASSERT_EQ(::mkdir(Path(name).c_str(), 0755), 0);
    }
  }
  [[nodiscard]] std::string Path(const std::string& name) const {
    return folder_.path() + "/" + name;
  }
  // Mounts the three and runs `body` there, in a process of its own; failures of `body` are told on
  // standard error.
  void WithDisks(const std::function<void()>& body) {
    const pid_t child = ::fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      if (!MountAll()) ::_exit(2);
      body();
      ::_exit(HasFailure() ? 1 : 0);
    }
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    ASSERT_TRUE(WIFEXITED(status));
    if (WEXITSTATUS(status) == 2) GTEST_SKIP() << "file systems cannot be mounted here";
    EXPECT_EQ(WEXITSTATUS(status), 0);
    EXPECT_EQ(SurveyDisks({.node = Path("node"), .images = Path("disk2")}).layout, DiskLayout{})
        << "nothing is mounted outside";
  }
  // The node's figures in a survey's terms.
  [[nodiscard]] NodeStats Read(const DiskSurvey& survey) {
    StatsCollector collector({.node = groups_,
                              .pods = groups_,
                              .procfs = procfs_,
                              .whole_machine = true,
                              .node_fs = Path("node")},
                             clock_, log_);
    collector.SetDisks(survey.image_fs, survey.container_fs);
    return collector.ReadNode();
  }
  // Sizes of nodefs, imagefs and containerfs in MiB.
  void ExpectSizes(const NodeStats& stats, std::uint64_t node, std::uint64_t image,
                   std::uint64_t container) {
    EXPECT_EQ(stats.fs->capacity_bytes, node * kMi);
    EXPECT_EQ(stats.image_fs->capacity_bytes, image * kMi);
    EXPECT_EQ(stats.container_fs->capacity_bytes, container * kMi);
  }
  void MakeFolder(const std::string& name) { ASSERT_EQ(::mkdir(Path(name).c_str(), 0755), 0); }

 private:
  bool MountAll() {
    const auto mount = [this](const char* name, const char* size) {
      return ::mount("tmpfs", Path(name).c_str(), "tmpfs", 0, size) == 0;
    };
    return ::unshare(CLONE_NEWNS) == 0 &&
           ::mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0 &&
           mount("node", "size=1m") && mount("disk2", "size=2m") && mount("disk3", "size=4m");
  }

  pod_host::TemporaryFolder folder_;
  FakeCgroups groups_;
  FakeClock clock_;
  Log log_{LogFormat::kText, clock_, [](std::string_view) {}};
  Procfs procfs_ = Procfs::Open().value();
};

TEST_F(LiveDiskLayout, FoldersOnOneFileSystemAreOne) {
  WithDisks([this] {
    MakeFolder("node/images");
    MakeFolder("node/layers");
    const DiskSurvey survey = SurveyDisks(
        {.node = Path("node"), .images = Path("node/images"), .containers = Path("node/layers")});
    EXPECT_EQ(survey.layout, DiskLayout{});
    ExpectSizes(Read(survey), 1, 1, 1);
  });
}

TEST_F(LiveDiskLayout, ImagesWithTheLayersBesideThemAreADedicatedImageFs) {
  WithDisks([this] {
    MakeFolder("disk2/snapshots");
    const DiskSurvey survey =
        SurveyDisks({.node = Path("node"), .images = Path("disk2/snapshots")});
    EXPECT_EQ(survey.layout, (DiskLayout{.dedicated_image_fs = true}));
    ExpectSizes(Read(survey), 1, 2, 2);
  });
}

TEST_F(LiveDiskLayout, LayersOnNodefsAreASplit) {
  WithDisks([this] {
    MakeFolder("node/layers");
    const DiskSurvey survey = SurveyDisks(
        {.node = Path("node"), .images = Path("disk2"), .containers = Path("node/layers")});
    EXPECT_EQ(survey.layout,
              (DiskLayout{.dedicated_image_fs = true, .dedicated_container_fs = true}));
    ExpectSizes(Read(survey), 1, 2, 1);
  });
}

TEST_F(LiveDiskLayout, OnlyTheLayersApartAreASplitAndTheImagesHaveTheFiguresOfNodefs) {
  WithDisks([this] {
    MakeFolder("node/images");
    const DiskSurvey survey = SurveyDisks(
        {.node = Path("node"), .images = Path("node/images"), .containers = Path("disk3")});
    EXPECT_EQ(survey.layout,
              (DiskLayout{.dedicated_image_fs = true, .dedicated_container_fs = true}));
    ExpectSizes(Read(survey), 1, 1, 4);
  });
}

TEST_F(LiveDiskLayout, ThreeFileSystemsAreASplitWithFiguresOfTheirOwn) {
  WithDisks([this] {
    const DiskSurvey survey =
        SurveyDisks({.node = Path("node"), .images = Path("disk2"), .containers = Path("disk3")});
    EXPECT_TRUE(survey.layout.dedicated_container_fs);
    ExpectSizes(Read(survey), 1, 2, 4);
  });
}

TEST_F(LiveDiskLayout, ABoundFolderIsWhereItsFilesAre) {
  WithDisks([this] {
    MakeFolder("node/images");
    ASSERT_EQ(
        ::mount(Path("disk2").c_str(), Path("node/images").c_str(), nullptr, MS_BIND, nullptr), 0);
    const DiskSurvey survey = SurveyDisks({.node = Path("node"), .images = Path("node/images")});
    EXPECT_TRUE(survey.layout.dedicated_image_fs);
    ExpectSizes(Read(survey), 1, 2, 2);
  });
}

TEST_F(LiveDiskLayout, WhatIsWrittenIsTakenFromTheFileSystemItLiesOn) {
  WithDisks([this] {
    const DiskSurvey survey = SurveyDisks({.node = Path("node"), .images = Path("disk2")});
    const NodeStats before = Read(survey);
    std::ofstream(Path("disk2/blob")) << std::string(kMi, 'x');
    const NodeStats after = Read(survey);
    EXPECT_EQ(*before.image_fs->available_bytes - *after.image_fs->available_bytes, kMi);
    EXPECT_EQ(*before.image_fs->inodes_free - *after.image_fs->inodes_free, 1U);
    EXPECT_EQ(before.fs->available_bytes, after.fs->available_bytes);
  });
}

}  // namespace
}  // namespace jettison
