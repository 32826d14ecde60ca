// Disks that fill: by files that no walk through pods' files finds, and by images and writable
// layers on a file system of their own.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/statvfs.h>

#include <chrono>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <memory>
#include <utility>

#include "kernel/files/files.h"
#include "kernel/files/testing/temporary_folder.h"
#include "tests/scenarios/agent_bed.h"
#include "tests/scenarios/containerd_agent_test.h"

namespace jettison {
namespace {

using std::chrono::seconds;
using testing::IsEmpty;

class LiveDeletedFile : public AgentTest {
 protected:
  void Prepare() override {
    ASSERT_EQ(::mkdir(Root().c_str(), 0750), 0);
    const std::string image = folder_.path() + "/image";
    const std::string commands = "PATH=$PATH:/usr/sbin:/sbin; truncate -s 256M '" + image +
                                 "' && mkfs.ext4 -q -m 0 '" + image +
                                 "' && mount -t ext4 -o loop '" + image + "' '" + Root() + "'";
    if (std::system(commands.c_str()) != 0) GTEST_SKIP() << "no ext4 can be mounted here";
    mounted_ = true;
    bed_.ConfigureAgent("monitoringInterval: 1s\n");
    bed_.Configure(
        "evictionPressureTransitionPeriod: 1s\nevictionHard: {nodefs.available: 100Mi}\n");
  }
  void TearDown() override {
    AgentTest::TearDown();
    bed_.KillAgent();
    if (mounted_) {
      EXPECT_EQ(::umount2(Root().c_str(), MNT_DETACH), 0);
    }
  }
  [[nodiscard]] std::string Root() const { return bed_.folder() + "/root"; }
  // A pod that runs the script, with a volume on /data.
  void PutPod(const std::string& name, const std::string& script) {
    bed_.Put(name + ".yaml",
             AgentBed::Manifest(name, {"sh", "-c", script + "; exec sleep 1000"},
                                "    volumeMounts: [{name: data, mountPath: /data}]\n") +
                 "  volumes: [{name: data, emptyDir: {}}]\n");
  }

  kernel::TemporaryFolder folder_;
  bool mounted_ = false;
};

TEST_F(LiveDeletedFile, ThePodThatHoldsItOpenIsEvictedAndNoOther) {
  PutPod("innocent", "head -c 2000000 /dev/zero > /data/kept");
  PutPod("guilty",
         "exec 3> /data/deleted; rm /data/deleted; sleep 3; head -c 180000000 /dev/zero >&3");
  bed_.StartAgent({"--stop-pods"});
  ASSERT_TRUE(bed_.WaitForLine({"pod is evicted successfully"}, seconds(60)));
  EXPECT_THAT(Evictions(), testing::Each(testing::HasSubstr("pod=default/guilty")));
  EXPECT_TRUE(bed_.WaitForLine({"NodeHasNoDiskPressure"}, seconds(60)));
  EXPECT_THAT(bed_.LinesWith("evicted successfully pod=default/innocent"), IsEmpty());
  EXPECT_EQ(bed_.StopAgent(), 0);
}

TEST_F(LiveDeletedFile, WhatLiesOutsideThePodsIsNamed) {
  PutPod("innocent", "head -c 2000000 /dev/zero > /data/kept");
  bed_.StartAgent({"--stop-pods"});
  ASSERT_TRUE(HasStarted());
  std::ofstream(Root() + "/outside") << std::string(180'000'000, 'x');
  EXPECT_TRUE(bed_.WaitForLine({"most of the disk is not held by pods that may be evicted",
                                "held=\"files that are no pod's own 1"},
                               seconds(60)));
  EXPECT_EQ(bed_.StopAgent(), 0);
}

namespace api = ::runtime::v1;

constexpr std::size_t kMi = std::size_t{1} << 20;
constexpr const char* kUnused = "bed.local/unused:1";

class LiveImageDisk : public ContainerdAgentTest {
 protected:
  // An image takes its size twice: as it came, and unpacked.
  cri::LiveContainerdOptions Options() override {
    Mount(disk_.path());
    return {.images = {{.reference = kUnused, .padding_bytes = 6 * kMi}}, .root = disk_.path()};
  }
  void PrepareAgent() override {
    ConfigureKubelet(
        "imageMinimumGCAge: 1s\nevictionPressureTransitionPeriod: 1s\n"
        "evictionHard: {imagefs.available: 24Mi}\n");
  }
  void TearDown() override {
    ContainerdAgentTest::TearDown();
    for (const std::string& mount : mounts_) EXPECT_EQ(::umount2(mount.c_str(), MNT_DETACH), 0);
  }

  void Mount(const std::string& folder) {
    EXPECT_EQ(::mount("tmpfs", folder.c_str(), "tmpfs", 0, "size=64m"), 0);
    mounts_.push_back(folder);
  }
  [[nodiscard]] std::size_t AvailableMi() const {
    struct statvfs figures {};
    EXPECT_EQ(::statvfs(disk_.path().c_str(), &figures), 0);
    return figures.f_bavail * figures.f_frsize / kMi;
  }
  [[nodiscard]] bool HasImage(const std::string& reference) {
    api::ImageStatusRequest request;
    request.mutable_image()->set_image(reference);
    const auto answer = containerd_->Await<api::ImageStatusResponse>([&](auto given) {
      containerd_->calls().Make(cri::kImageStatus, request, seconds(10), std::move(given));
    });
    return answer && answer->has_image();
  }
  [[nodiscard]] int Containers(api::ContainerState state) {
    api::ListContainersRequest request;
    request.mutable_filter()->mutable_state()->set_state(state);
    const auto answer = containerd_->Await<api::ListContainersResponse>([&](auto given) {
      containerd_->calls().Make(cri::kListContainers, request, seconds(10), std::move(given));
    });
    return answer ? answer->containers_size() : -1;
  }

  [[nodiscard]] static bool Becomes(const std::function<bool()>& condition) {
    const auto deadline = std::chrono::steady_clock::now() + seconds(60);
    while (!condition()) {
      if (std::chrono::steady_clock::now() > deadline) return false;
      (void)::poll(nullptr, 0, 20);
    }
    return true;
  }

  kernel::TemporaryFolder disk_;
  kernel::TemporaryFolder other_disk_;
  std::vector<std::string> mounts_;
};

TEST_F(LiveImageDisk, DeadContainersAndUnusedImagesGoBeforeAnyPod) {
  PutPod("app", "pause");
  PutPod("done", "fill, '10000000', /blob", "  restartPolicy: Never\n");
  bed_.StartAgent({"--stop-pods"});
  EXPECT_TRUE(bed_.WaitForLine(
      {"disk layout", "images and writable layers have a file system of their own"}));
  ASSERT_TRUE(bed_.WaitForLine({"container ended", "pod=default/done", "exitCode=0"}));
  const std::size_t before = AvailableMi();
  ASSERT_GE(before, 24U) << "there is no pressure yet";
  ASSERT_TRUE(HasImage(kUnused));
  ASSERT_EQ(Containers(api::CONTAINER_EXITED), 1);

  const std::size_t room = (before - 23) * kMi;
  ASSERT_TRUE(containerd_->Import({{.reference = "bed.local/more:1", .padding_bytes = room / 2}}));
  EXPECT_TRUE(bed_.WaitForLine({"attempting to reclaim", "imagefs.available"}, seconds(60)));
  EXPECT_TRUE(bed_.WaitForLine({"no pod is evicted before it is over", "containers, images"}));
  EXPECT_TRUE(bed_.WaitForLine({"NodeHasNoDiskPressure"}, seconds(60)));
  EXPECT_TRUE(Becomes([this] { return !HasImage(kUnused); }));
  EXPECT_EQ(Containers(api::CONTAINER_EXITED), 0);
  EXPECT_GE(AvailableMi(), 24U);
  EXPECT_THAT(Evictions(), IsEmpty());
  EXPECT_EQ(Containers(api::CONTAINER_RUNNING), 1) << "app";
  EXPECT_EQ(bed_.StopAgent(), 0);
}

TEST_F(LiveImageDisk, APodThatFillsItGoesWhenThereIsNothingLeftToReclaim) {
  PutPod("app", "pause");
  bed_.StartAgent({"--stop-pods"});
  ASSERT_TRUE(HasStarted());
  PutPod("filler", "file, '45000000', /blob");
  EXPECT_TRUE(IsEvicted("filler", seconds(60)));
  EXPECT_FALSE(HasImage(kUnused)) << "images go first";
  EXPECT_TRUE(bed_.WaitForLine({"pods were cleaned up"}, seconds(60)));
  EXPECT_GE(AvailableMi(), 24U);
  EXPECT_THAT(bed_.LinesWith("pod=default/app"),
              testing::Each(testing::Not(testing::HasSubstr("is evicted"))));
  EXPECT_EQ(bed_.StopAgent(), 0);
}

// The old disk fills up, which concerns nobody any more; then the new one does.
TEST_F(LiveImageDisk, TheDiskToWhichTheRuntimeHasMovedIsWatchedAndTheOldOneIsNot) {
  ConfigureAgent("adopt: evict\n");
  bed_.StartAgent();
  EXPECT_TRUE(bed_.WaitForLine({"disk layout", "imageFs=" + disk_.path()}));
  containerd_->Kill();
  Mount(other_disk_.path());
  const auto moved = containerd_->StartAgainAt(other_disk_.path());
  ASSERT_TRUE(moved) << moved.error().message;
  EXPECT_TRUE(bed_.WaitForLine({"disk layout", "imageFs=" + other_disk_.path()}, seconds(60)));
  ASSERT_TRUE(RunStray("dear", {"pause"}));
  ASSERT_TRUE(IsFound("dear"));
  ASSERT_TRUE(kernel::WriteFile(disk_.path() + "/full", std::string(48 * kMi, 'x')));
  ASSERT_LT(AvailableMi(), 24U);
  (void)bed_.WaitForLine({"no such line"}, seconds(2));
  EXPECT_THAT(Evictions(), IsEmpty()) << "for the old disk";
  ASSERT_TRUE(RunStray("filler", {"file", "42000000", "/blob"}));
  EXPECT_TRUE(IsEvicted("filler", seconds(60)));
  EXPECT_EQ(bed_.StopAgent(), 0);
}

}  // namespace
}  // namespace jettison
