#include <gtest/gtest.h>
#include <sys/mount.h>

#include <fstream>
#include <string>

#include "agent/figures/file_systems.h"
#include "agent/figures/stats_collector.h"
#include "agent/figures/testing/live_disks.h"
#include "ports/fakes/fake_cgroups.h"
#include "ports/fakes/fake_clock.h"
#include "rpc/fake_calls.h"
#include "runtimes/cri/images/image_store.h"

namespace jettison {
namespace {

namespace api = ::runtime::v1;

class LiveDiskLayout : public LiveDisks {
 protected:
  // The node's figures of the disks that the survey found.
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
    EXPECT_EQ(stats.fs->capacity_bytes, node * kDiskMi);
    EXPECT_EQ(stats.image_fs->capacity_bytes, image * kDiskMi);
    EXPECT_EQ(stats.container_fs->capacity_bytes, container * kDiskMi);
  }

 private:
  FakeCgroups groups_;
  FakeClock clock_;
  Log log_{LogFormat::kText, clock_, [](std::string_view) {}};
  Procfs procfs_ = Procfs::Open().value();
};

TEST_F(LiveDiskLayout, ImagesWithTheLayersBesideThemAreADedicatedImageFs) {
  WithDisks([this] {
    MakeFolder("disk2/snapshots");
    const DiskSurvey survey =
        SurveyDisks({.node = Path("node"), .images = Path("disk2/snapshots")});
    EXPECT_EQ(survey.layout, (DiskLayout{.dedicated_image_fs = true}));
    ExpectSizes(Read(survey), 4, 8, 8);
  });
}

TEST_F(LiveDiskLayout, ARuntimeThatTellsWhereItsLayersAreMakesASplitAndOneThatDoesNotNone) {
  WithDisks([this] {
    MakeFolder("node/layers");
    cri::FakeCalls runtime;
    api::ImageFsInfoResponse told;
    told.add_image_filesystems()->mutable_fs_id()->set_mountpoint(Path("disk2"));
    runtime.on_image_fs_info = [&](const auto&) { return told; };
    cri::CriImageStore store(runtime);
    const auto survey = [&] {
      StorageFolders folders;
      store.Folders([&](const Result<StorageFolders>& given) { folders = given.value(); });
      runtime.Deliver();
      return SurveyDisks(
          {.node = Path("node"), .images = folders.images, .containers = folders.containers});
    };
    EXPECT_EQ(survey().layout, (DiskLayout{.dedicated_image_fs = true}));
    told.add_container_filesystems()->mutable_fs_id()->set_mountpoint(Path("node/layers"));
    EXPECT_EQ(survey().layout,
              (DiskLayout{.dedicated_image_fs = true, .dedicated_container_fs = true}));
    ExpectSizes(Read(survey()), 4, 8, 4);
    told.mutable_container_filesystems(0)->mutable_fs_id()->set_mountpoint(Path("disk2"));
    EXPECT_EQ(survey().layout, (DiskLayout{.dedicated_image_fs = true})) << "the devices decide";
  });
}

TEST_F(LiveDiskLayout, OnlyTheLayersApartAreASplitAndTheImagesHaveTheFiguresOfNodefs) {
  WithDisks([this] {
    MakeFolder("node/images");
    const DiskSurvey survey = SurveyDisks(
        {.node = Path("node"), .images = Path("node/images"), .containers = Path("disk3")});
    EXPECT_EQ(survey.layout,
              (DiskLayout{.dedicated_image_fs = true, .dedicated_container_fs = true}));
    ExpectSizes(Read(survey), 4, 4, 16);
  });
}

TEST_F(LiveDiskLayout, ThreeFileSystemsAreASplitWithFiguresOfTheirOwn) {
  WithDisks([this] {
    const DiskSurvey survey =
        SurveyDisks({.node = Path("node"), .images = Path("disk2"), .containers = Path("disk3")});
    EXPECT_TRUE(survey.layout.dedicated_container_fs);
    ExpectSizes(Read(survey), 4, 8, 16);
  });
}

TEST_F(LiveDiskLayout, ABoundFolderIsWhereItsFilesAre) {
  WithDisks([this] {
    MakeFolder("node/images");
    ASSERT_EQ(
        ::mount(Path("disk2").c_str(), Path("node/images").c_str(), nullptr, MS_BIND, nullptr), 0);
    const DiskSurvey survey = SurveyDisks({.node = Path("node"), .images = Path("node/images")});
    EXPECT_TRUE(survey.layout.dedicated_image_fs);
    ExpectSizes(Read(survey), 4, 8, 8);
  });
}

}  // namespace
}  // namespace jettison
