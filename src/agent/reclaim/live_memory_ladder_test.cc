#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <memory>
#include <optional>
#include <string>

#include "agent/reclaim/memory_ladder_thread.h"
#include "kernel/files/temporary_folder.h"
#include "kernel/groups/group_memory_files.h"
#include "machine/cgroups/host_cgroups.h"
#include "ports/fakes/child_process.h"
#include "ports/fakes/fake_clock.h"

namespace jettison {
namespace {

using testing::Ge;
using testing::IsEmpty;
using testing::SizeIs;

constexpr std::uint64_t kMebibyte = 1 << 20;
constexpr int kFileMi = 24;

// Writes a file whose pages are charged to the calling process, and waits until they are clean.
void LeavePages(const std::string& path) {
  const FileDescriptor fd(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
  static std::array<char, kMebibyte> block{};
  for (int i = 0; i < kFileMi; ++i) {
    if (::write(fd.get(), block.data(), block.size()) < 0) ::_exit(1);
  }
  ::fsync(fd.get());
}

// A separate pods' group with one pod in it, which is removed at the end.
class LiveMemoryLadder : public testing::Test {
 protected:
  void SetUp() override {
    if (::geteuid() != 0) GTEST_SKIP() << "making control groups needs root";
    auto opened = OpenHostCgroups({});
    ASSERT_TRUE(opened) << opened.error().message;
    groups_ = std::move(*opened);
    const auto made = groups_->Create(pod_, {});
    ASSERT_TRUE(made) << made.error().message;
    memory_.emplace(groups_);
    const auto directory = groups_->OpenMemoryDirectory(pod_);
    ASSERT_TRUE(directory);
    if (kernel::ReclaimFileOf(directory->get()).empty()) {
      GTEST_SKIP() << "this kernel takes no memory from groups on request";
    }
  }
  void TearDown() override {
    if (!groups_) return;
    (void)groups_->Kill(pods_);
    EXPECT_TRUE(groups_->Remove(pods_));
  }
  // Puts a process into the pod's group which leaves pages there, and then stays or ends.
  std::unique_ptr<ChildProcess> Run(bool stays) {
    auto child = std::make_unique<ChildProcess>([this, stays](const auto& ready) {
      LeavePages(folder_.path() + "/file");
      ready();
      if (stays) SleepForever();
    });
    EXPECT_TRUE(groups_->Join(pod_, child->pid()));
    child->Start();
    EXPECT_TRUE(child->AwaitReady());
    if (!stays) child->Wait();
    return child;
  }
  ClimbOutcome Climbed() {
    return Climb(
        {.goal = 1024 * kMebibyte, .pods_group = pods_, .pods = {{.group = pod_}}},
        {.groups = *groups_, .memory = *memory_, .clock = clock_, .stop = [] { return false; }},
        samples_);
  }

  const kernel::TemporaryFolder folder_;
  const std::string pods_ = "jettison-ladder-" + std::to_string(::getpid());
  const std::string pod_ = pods_ + "/pod";
  std::shared_ptr<Cgroups> groups_;
  std::optional<kernel::GroupMemoryFiles> memory_;
  FakeClock clock_{Instant(std::chrono::hours(1))};
  CpuSamples samples_;
};

TEST_F(LiveMemoryLadder, APodThatHasEndedGivesItsPageCacheBack) {
  const auto child = Run(false);
  const std::uint64_t before = groups_->ReadMemory(pod_)->usage;
  ASSERT_THAT(before, Ge(kFileMi * kMebibyte));
  const ClimbOutcome outcome = Climbed();
  EXPECT_THAT(outcome.errors, IsEmpty());
  ASSERT_THAT(outcome.reclaimed, SizeIs(1));
  EXPECT_EQ(outcome.reclaimed[0].step, MemoryReclaim::kDead);
  EXPECT_THAT(outcome.reclaimed[0].bytes, Ge(kFileMi * kMebibyte / 2));
  EXPECT_LE(groups_->ReadMemory(pod_)->usage, before - outcome.reclaimed[0].bytes);
}

TEST_F(LiveMemoryLadder, APodThatSleepsIsAskedWhenItHasSleptLongEnough) {
  const auto child = Run(true);
  if (!memory_->CpuTimeUs(pod_)) GTEST_SKIP() << "no CPU time without the unified hierarchy";
  EXPECT_THAT(Climbed().reclaimed, IsEmpty()) << "no group is dead or known to be idle";
  clock_.Advance(std::chrono::seconds(5));
  const ClimbOutcome outcome = Climbed();
  ASSERT_THAT(outcome.reclaimed, SizeIs(1));
  EXPECT_EQ(outcome.reclaimed[0].step, MemoryReclaim::kIdle);
  EXPECT_THAT(outcome.reclaimed[0].bytes, Ge(kFileMi * kMebibyte / 2));
  EXPECT_THAT(*groups_->Processes(pod_), SizeIs(1)) << "the process is still alive";
}

}  // namespace
}  // namespace jettison
