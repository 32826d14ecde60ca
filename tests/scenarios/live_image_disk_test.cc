// The agent's program on a containerd whose images and writable layers lie on a small file system
// of their own.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/mount.h>
#include <sys/statvfs.h>

#include <chrono>
#include <functional>
#include <memory>
#include <utility>

#include "kernel/files/files.h"
#include "kernel/files/testing/temporary_folder.h"
#include "runtimes/cri/test_bed/containerd_remains.h"
#include "runtimes/cri/test_bed/live_containerd.h"
#include "tests/scenarios/agent_bed.h"

namespace jettison {
namespace {

namespace api = ::runtime::v1;
using std::chrono::seconds;
using testing::IsEmpty;

constexpr std::size_t kMi = std::size_t{1} << 20;
constexpr const char* kUnused = "bed.local/unused:1";

std::string Manifest(const std::string& name, const std::string& arguments,
                     const std::string& pod_fields = "") {
  return "apiVersion: v1\nkind: Pod\nmetadata: {name: " + name + "}\nspec:\n" + pod_fields +
         "  terminationGracePeriodSeconds: 2\n  containers:\n  - name: main\n    image: " +
         cri::LiveContainerd::kTestImage + "\n    imagePullPolicy: Never\n    args: [" + arguments +
         "]\n";
}

class LiveImageDisk : public testing::Test {
 protected:
  void SetUp() override {
    if (const auto obstacle = cri::LiveContainerd::Obstacle()) GTEST_SKIP() << *obstacle;
    if (!agent_.error().empty()) GTEST_SKIP() << agent_.error();
    ASSERT_NO_FATAL_FAILURE(Mount(disk_.path()));
    // An image takes its size twice: as it came, and unpacked.
    auto containerd = cri::LiveContainerd::Start(
        {.images = {{.reference = kUnused, .padding_bytes = 6 * kMi}}, .root = disk_.path()});
    ASSERT_TRUE(containerd) << containerd.error().message;
    containerd_ = std::move(*containerd);
    agent_.ConfigureAgent("runtime: cri\nmonitoringInterval: 500ms\n");
    agent_.Configure("containerRuntimeEndpoint: " + containerd_->endpoint() +
                     "\nimageMinimumGCAge: 1s\nevictionPressureTransitionPeriod: 1s\n"
                     "evictionHard: {imagefs.available: 24Mi}\n");
  }
  void TearDown() override {
    if (HasFailure()) {
      for (const std::string& line : agent_.lines()) ADD_FAILURE() << line;
    }
    agent_.KillAgent();
    if (containerd_) {
      const std::string folder = containerd_->folder();
      containerd_.reset();
      EXPECT_THAT(cri::ProcessesOf(folder), IsEmpty());
    }
    for (const std::string& mount : mounts_) EXPECT_EQ(::umount2(mount.c_str(), MNT_DETACH), 0);
  }

  void Mount(const std::string& folder) {
    ASSERT_EQ(::mount("tmpfs", folder.c_str(), "tmpfs", 0, "size=64m"), 0);
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

  AgentBed agent_;
  kernel::TemporaryFolder disk_;
  kernel::TemporaryFolder other_disk_;
  std::vector<std::string> mounts_;
  std::unique_ptr<cri::LiveContainerd> containerd_;
};

TEST_F(LiveImageDisk, DeadContainersAndUnusedImagesGoBeforeAnyPod) {
  agent_.Put("app.yaml", Manifest("app", "pause"));
  agent_.Put("done.yaml", Manifest("done", "fill, '10000000', /blob", "  restartPolicy: Never\n"));
  agent_.StartAgent({"--stop-pods"});
  EXPECT_TRUE(agent_.WaitForLine(
      {"disk layout", "images and writable layers have a file system of their own"}));
  ASSERT_TRUE(agent_.WaitForLine({"container ended", "pod=default/done", "exitCode=0"}));
  const std::size_t before = AvailableMi();
  ASSERT_GE(before, 24U) << "there is no pressure yet";
  ASSERT_TRUE(HasImage(kUnused));
  ASSERT_EQ(Containers(api::CONTAINER_EXITED), 1);

  const std::size_t room = (before - 23) * kMi;
  ASSERT_TRUE(containerd_->Import({{.reference = "bed.local/more:1", .padding_bytes = room / 2}}));
  EXPECT_TRUE(agent_.WaitForLine({"attempting to reclaim", "imagefs.available"}, seconds(60)));
  EXPECT_TRUE(agent_.WaitForLine({"no pod is evicted before it is over", "containers, images"}));
  EXPECT_TRUE(agent_.WaitForLine({"NodeHasNoDiskPressure"}, seconds(60)));
  EXPECT_TRUE(Becomes([this] { return !HasImage(kUnused); }));
  EXPECT_EQ(Containers(api::CONTAINER_EXITED), 0);
  EXPECT_GE(AvailableMi(), 24U);
  EXPECT_THAT(agent_.LinesWith("pod is evicted successfully"), IsEmpty());
  EXPECT_EQ(Containers(api::CONTAINER_RUNNING), 1) << "app";
  EXPECT_EQ(agent_.StopAgent(), 0);
}

TEST_F(LiveImageDisk, APodThatFillsItGoesWhenThereIsNothingLeftToReclaim) {
  agent_.Put("app.yaml", Manifest("app", "pause"));
  agent_.StartAgent({"--stop-pods"});
  ASSERT_TRUE(agent_.WaitForLine({"Started container main"}));
  agent_.Put("filler.yaml", Manifest("filler", "file, '45000000', /blob"));
  EXPECT_TRUE(
      agent_.WaitForLine({"pod is evicted successfully", "pod=default/filler"}, seconds(60)));
  EXPECT_FALSE(HasImage(kUnused)) << "images go first";
  EXPECT_TRUE(agent_.WaitForLine({"pods were cleaned up"}, seconds(60)));
  EXPECT_GE(AvailableMi(), 24U);
  EXPECT_THAT(agent_.LinesWith("pod=default/app"),
              testing::Each(testing::Not(testing::HasSubstr("is evicted"))));
  EXPECT_EQ(agent_.StopAgent(), 0);
}

// The old disk fills up, which concerns nobody any more; then the new one does.
TEST_F(LiveImageDisk, TheDiskToWhichTheRuntimeHasMovedIsWatchedAndTheOldOneIsNot) {
  agent_.ConfigureAgent("runtime: cri\nmonitoringInterval: 500ms\nadopt: evict\n");
  agent_.StartAgent();
  EXPECT_TRUE(agent_.WaitForLine({"disk layout", "imageFs=" + disk_.path()}));
  containerd_->Kill();
  ASSERT_NO_FATAL_FAILURE(Mount(other_disk_.path()));
  const auto moved = containerd_->StartAgainAt(other_disk_.path());
  ASSERT_TRUE(moved) << moved.error().message;
  EXPECT_TRUE(agent_.WaitForLine({"disk layout", "imageFs=" + other_disk_.path()}, seconds(60)));
  const auto run = [&](const std::string& id, std::vector<std::string> arguments) {
    const auto ran = containerd_->RunStray({.id = id,
                                            .group = agent_.group() + "/others/" + id,
                                            .options = {},
                                            .arguments = std::move(arguments)});
    ASSERT_TRUE(ran) << ran.error().message;
    EXPECT_TRUE(agent_.WaitForLine({"foreign pod found", "pod=default/" + id}, seconds(60)));
  };
  ASSERT_NO_FATAL_FAILURE(run("dear", {"pause"}));
  ASSERT_TRUE(kernel::WriteFile(disk_.path() + "/full", std::string(48 * kMi, 'x')));
  ASSERT_LT(AvailableMi(), 24U);
  (void)agent_.WaitForLine({"no such line"}, seconds(2));
  EXPECT_THAT(agent_.LinesWith("pod is evicted successfully"), IsEmpty()) << "for the old disk";
  ASSERT_NO_FATAL_FAILURE(run("filler", {"file", "42000000", "/blob"}));
  EXPECT_TRUE(
      agent_.WaitForLine({"pod is evicted successfully", "pod=default/filler"}, seconds(60)));
  EXPECT_EQ(agent_.StopAgent(), 0);
}

}  // namespace
}  // namespace jettison
