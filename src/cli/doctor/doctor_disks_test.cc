#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "agent/figures/testing/live_disks.h"
#include "cli/doctor/doctor.h"
#include "kernel/files/live_silent_filesystem.h"

namespace jettison {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

class LiveDoctorDisks : public LiveDisks {};

TEST_F(LiveDoctorDisks, ABtrfsIsShownWithoutInodes) {
  WithDisks([this] {
    if (!MountImage("btrfs", "big", 128)) GTEST_SKIP() << "no btrfs here";
    const HostCheck space = FilesystemCheck("nodefs", Path("big/not/there/yet"));
    EXPECT_EQ(space.status, HostStatus::kDegraded);
    EXPECT_THAT(space.found, StartsWith(Path("big/not/there/yet") + ": btrfs, "));
    EXPECT_THAT(space.found, HasSubstr("128 MiB available, inodes not counted"));
    EXPECT_EQ(DiskChangesCheck(Path("big")).status, HostStatus::kOk);
  });
}

TEST_F(LiveDoctorDisks, AnXfsIsShownWithItsInodes) {
  WithDisks([this] {
    if (!MountImage("xfs", "big", 320)) GTEST_SKIP() << "no xfs here";
    const HostCheck space = FilesystemCheck("nodefs", Path("big"));
    EXPECT_EQ(space.status, HostStatus::kOk);
    EXPECT_THAT(space.found, HasSubstr("inodes free"));
    EXPECT_EQ(DiskChangesCheck(Path("big")).status, HostStatus::kOk);
  });
}

TEST_F(LiveSilentFilesystem, IsShownByDoctorWithoutWaitingForIt) {
  EXPECT_TRUE(ReturnsWhileItIsSilent([&] {
    AgentConfig config;
    config.root = folder_ + "/root";
    for (const HostCheck& check : HostChecks(config)) EXPECT_FALSE(check.found.empty());
    EXPECT_THAT(FilesystemCheck("imagefs", folder_ + "/images").found, HasSubstr("fuse"));
    EXPECT_EQ(DiskChangesCheck(config.root).status, HostStatus::kDegraded);
    EXPECT_EQ(DiskLayoutCheck(config, "/", folder_).status, HostStatus::kOk);
  }));
}

}  // namespace
}  // namespace jettison
