#include "agent/disk/disk_walk_thread.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "core/pods/pod_facts.h"
#include "kernel/files/testing/temporary_folder.h"
#include "ports/fakes/child_process.h"
#include "ports/fakes/fake_cgroups.h"
#include "ports/fakes/fake_clock.h"
#include "ports/fakes/fake_runtime.h"

namespace jettison {
namespace {

namespace fs = std::filesystem;

// Each pod has one volume, the folder of its UID below `top`.
class RuntimeWithVolumes : public FakeRuntime {
 public:
  explicit RuntimeWithVolumes(std::string top) : top_(std::move(top)) {}
  [[nodiscard]] PodDisk DiskOf(const Pod& pod) const override {
    return {.empty_dirs = {{.name = "v", .path = top_ + "/" + pod.uid}}};
  }

 private:
  std::string top_;
};

class DiskWalkThreadTest : public testing::Test {
 protected:
  void MakePod(const std::string& uid, int directories, int files) {
    for (int d = 0; d < directories; ++d) {
      const fs::path folder = fs::path(top_) / uid / std::to_string(d);
      fs::create_directories(folder);
      for (int f = 0; f < files; ++f) std::ofstream(folder / std::to_string(f));
    }
    pods_.emplace_back().pod.uid = uid;
  }
  [[nodiscard]] std::vector<const PodFacts*> Pods() const {
    std::vector<const PodFacts*> pods;
    for (const PodFacts& facts : pods_) pods.push_back(&facts);
    return pods;
  }
  static DiskUse Await(DiskWalkThread& walks) {
    std::optional<DiskUse> result;
    for (int ready_fds = 1; !result && ready_fds == 1; result = walks.TakeResult()) {
      pollfd ready = {.fd = walks.fd(), .events = POLLIN, .revents = 0};
      ready_fds = ::poll(&ready, 1, 30'000);
    }
    EXPECT_TRUE(result);
    EXPECT_FALSE(walks.TakeResult()) << "it is told once";
    return std::move(result).value_or(DiskUse{});
  }

  const kernel::TemporaryFolder folder_;
  const std::string top_ = folder_.path();
  std::vector<PodFacts> pods_;
  std::shared_ptr<FakeClock> clock_ = std::make_shared<FakeClock>();
};

TEST_F(DiskWalkThreadTest, MeasuresEveryPodInWhicheverOrder) {
  MakePod("a", 1, 3);
  MakePod("b", 2, 1);
  const RuntimeWithVolumes runtime(top_);
  DiskWalkThread walks(runtime, clock_);
  for (int pass = 0; pass < 3; ++pass) {
    clock_->Advance(std::chrono::seconds(10));
    walks.Start(Pods(), false);
    const DiskUse use = Await(walks);
    ASSERT_EQ(use.size(), 2U);
    EXPECT_EQ(use.at("a").total.inodes_used, 5U);
    EXPECT_EQ(use.at("b").total.inodes_used, 5U);
    EXPECT_EQ(use.at("a").measured_at, clock_->Now());
    EXPECT_GT(walks.cost().took.count(), 0);
    EXPECT_EQ(walks.cost().directories, 5U) << "the volumes and what is in them";
    EXPECT_EQ(walks.cost().trees, 2U);
  }
}

// The process of the pod holds nothing that it was born with: deleted files of other tests that run
// now may be among that.
TEST_F(DiskWalkThreadTest, AddsDeletedFilesThatPodsHoldOpenWhileADiskIsShort) {
  MakePod("a", 1, 1);
  ChildProcess process([path = top_ + "/held"](const auto& /*ready*/) {
    constexpr unsigned kHigh = 500;
    const int held = ::open(path.c_str(), O_CREAT | O_WRONLY, 0600);
    const std::string text(100'000, 'x');
    if (::write(held, text.data(), text.size()) < 0 || ::unlink(path.c_str()) != 0) return;
    ::dup2(held, kHigh);
    ::close_range(kHigh + 1, ~0U, 0);
    ::close_range(0, kHigh - 1, 0);
    SleepForever();
  });
  process.Start();
  ASSERT_FALSE(process.AwaitReady()) << "what it could say so by is closed";
  auto groups = std::make_shared<FakeCgroups>();
  ASSERT_TRUE(groups->Create("pod", {}));
  ASSERT_TRUE(groups->Join("pod", process.pid()));
  const std::vector<std::string> group = {"pod"};
  const RuntimeWithVolumes runtime(top_);
  DeletedFileSources deleted{.groups = groups, .groups_of = {}, .node_fs = top_};
  deleted.groups_of = [&](const PodFacts&) -> const std::vector<std::string>& { return group; };
  DiskWalkThread walks(runtime, clock_, deleted);
  walks.Start(Pods(), false);
  EXPECT_EQ(Await(walks).at("a").volumes.size(), 1U) << "no disk is short";
  walks.Start(Pods(), true);
  const PodDiskUse use = Await(walks).at("a");
  ASSERT_EQ(use.volumes.size(), 2U);
  EXPECT_EQ(use.volumes[1].name, kDeletedFiles);
  EXPECT_EQ(use.volumes[1].usage.inodes_used, 1U);
  EXPECT_GE(use.volumes[1].usage.used_bytes, 100'000U);
  EXPECT_EQ(use.total.inodes_used, 3U) << "limits are about the files that can be found";
}

TEST_F(DiskWalkThreadTest, GoesAtOnceWhileItWalks) {
  MakePod("large", 60, 60);
  const RuntimeWithVolumes runtime(top_);
  for (int i = 0; i < 20; ++i) {
    DiskWalkThread walks(runtime, clock_);
    walks.SetUrgent(i % 2 == 0);
    walks.Start(Pods(), false);
  }
}

}  // namespace
}  // namespace jettison
