#include "agent/reclaim/releasing_group_end.h"

#include <gtest/gtest.h>
#include <sys/wait.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <future>
#include <iterator>
#include <latch>
#include <memory>
#include <semaphore>
#include <string>
#include <thread>
#include <vector>

#include "ports/fakes/child_process.h"
#include "ports/fakes/fake_cgroups.h"

namespace jettison {
namespace {

// No process has such an id.
constexpr pid_t kNobody = 1 << 30;

TEST(ReleasingGroupEnd, KillsAndRemovesAndTellsWhatTheGroupsAnswer) {
  FakeCgroups groups;
  ReleasingGroupEnd releasing(groups);
  ASSERT_TRUE(groups.Create("pod", {}));
  ASSERT_TRUE(groups.Join("pod", kNobody));
  EXPECT_FALSE(releasing.Remove("pod"));
  EXPECT_TRUE(releasing.Kill("pod"));
  EXPECT_TRUE(releasing.Remove("pod"));
  EXPECT_FALSE(groups.Exists("pod"));
  EXPECT_EQ(releasing.Kill("pod").error().code, ErrorCode::kNotFound);
}

void MakeBomb(FakeCgroups& groups, const std::string& path = "bomb", int first = kNobody) {
  ASSERT_TRUE(groups.Create(path, {}));
  for (int i = 0; i < 65; ++i) ASSERT_TRUE(groups.Join(path, first + i));
}

// The kill of each group of one pod does not return until the test says so.
class StuckGroups : public FakeCgroups {
 public:
  Result<void> Kill(std::string_view path) override {
    if (path.starts_with("kubepods/podstuck/")) {
      stuck_.release();
      goes_on_.acquire();
      return {};
    }
    auto killed = FakeCgroups::Kill(path);
    others_.release();
    return killed;
  }
  // Whether a kill of the pod began, and of another pod has been done, in good time.
  [[nodiscard]] bool AwaitStuck() { return stuck_.try_acquire_for(kGoodTime); }
  [[nodiscard]] bool AwaitOther() { return others_.try_acquire_for(kGoodTime); }
  [[nodiscard]] bool AnotherIsStuck() { return stuck_.try_acquire(); }
  void LetGoOn(int kills) { goes_on_.release(kills); }

 private:
  static constexpr std::chrono::seconds kGoodTime{10};
  std::counting_semaphore<> stuck_{0};
  std::counting_semaphore<> goes_on_{0};
  std::counting_semaphore<> others_{0};
};

TEST(ReleasingGroupEnd, VeryManyProcessesAreKilledBesideTheCaller) {
  const std::string bomb = "kubepods/podstuck/main";
  StuckGroups groups;
  ReleasingGroupEnd releasing(groups);
  MakeBomb(groups, bomb);
  EXPECT_FALSE(releasing.IsSignalling(bomb));
  EXPECT_TRUE(releasing.Kill(bomb)) << "the kill has only begun";
  ASSERT_TRUE(groups.AwaitStuck());
  EXPECT_TRUE(releasing.IsSignalling(bomb));
  EXPECT_TRUE(releasing.IsSignalling(bomb + "/below"));
  EXPECT_FALSE(releasing.IsSignalling(bomb + "s"));
  EXPECT_TRUE(releasing.Kill(bomb)) << "the kill is under way";
  groups.LetGoOn(1);
  while (releasing.IsSignalling(bomb)) std::this_thread::yield();
  EXPECT_FALSE(groups.AnotherIsStuck());
  EXPECT_TRUE(releasing.Kill(bomb)) << "something lives, so it begins again";
  ASSERT_TRUE(groups.AwaitStuck());
  groups.LetGoOn(1);
}

TEST(ReleasingGroupEnd, TheNextPodDoesNotWaitForManyContainersOfAnother) {
  constexpr int kContainers = 4;
  StuckGroups groups;
  ReleasingGroupEnd releasing(groups);
  for (int i = 0; i < kContainers; ++i) {
    const std::string container = "kubepods/podstuck/" + std::to_string(i);
    MakeBomb(groups, container, kNobody + 100 * i);
    EXPECT_TRUE(releasing.Kill(container));
  }
  MakeBomb(groups, "kubepods/podnext/main", kNobody + 100 * kContainers);
  ASSERT_TRUE(groups.AwaitStuck());
  EXPECT_TRUE(releasing.Kill("kubepods/podnext/main"));
  EXPECT_TRUE(groups.AwaitOther());
  EXPECT_TRUE(releasing.IsSignalling("kubepods/podstuck/0"));
  EXPECT_FALSE(groups.AnotherIsStuck()) << "a pod has one thread";
  groups.LetGoOn(kContainers);
}

TEST(ReleasingGroupEnd, VeryManyProcessesAreToldToEndBesideTheCaller) {
  FakeCgroups groups;
  MakeBomb(groups);
  std::latch told(65);
  std::thread::id by;
  groups.OnSignal([&](pid_t, int signal) {
    EXPECT_EQ(signal, SIGTERM);
    by = std::this_thread::get_id();
    told.count_down();
  });
  ReleasingGroupEnd releasing(groups);
  EXPECT_TRUE(releasing.Signal("bomb", SIGTERM));
  told.wait();
  EXPECT_NE(by, std::this_thread::get_id());
}

TEST(ReleasingGroupEnd, AKilledProcessEndsWhileItsMemoryIsTaken) {
  ChildProcess child([](const std::function<void()>& ready) {
    TouchMemory(std::size_t{64} << 20);
    ready();
    SleepForever();
  });
  child.Start();
  ASSERT_TRUE(child.AwaitReady());
  FakeCgroups groups;
  groups.OnSignal([](pid_t pid, int signal) { kill(pid, signal); });
  {
    ReleasingGroupEnd releasing(groups);
    ASSERT_TRUE(groups.Create("pod", {}));
    ASSERT_TRUE(groups.Join("pod", child.pid()));
    EXPECT_TRUE(releasing.Kill("pod"));
  }
  const int status = child.Wait();
  EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
}

constexpr std::chrono::seconds kGoodTime{20};

// Releases of memory that do not come back before the test says so.
struct HangingReleases {
  std::counting_semaphore<> begun{0};
  std::counting_semaphore<> go_on{0};
};

ReleasingGroupEnd::Release ReleaseBy(const std::shared_ptr<HangingReleases>& releases) {
  return [releases](const FileDescriptor&) -> Result<void> {
    releases->begun.release();
    releases->go_on.acquire();
    return {};
  };
}

// A group with a process that survives its kill.
class SurvivorTest : public testing::Test {
 protected:
  SurvivorTest() {
    survivor_.Start();
    EXPECT_TRUE(groups_.Create("pod", {}));
    EXPECT_TRUE(groups_.Join("pod", survivor_.pid()));
    groups_.KillsLinger(true);
  }
  [[nodiscard]] bool AwaitRelease() const { return releases_->begun.try_acquire_for(kGoodTime); }
  static std::ptrdiff_t OpenDescriptors() {
    return std::distance(std::filesystem::directory_iterator("/proc/self/fd"), {});
  }

  ChildProcess survivor_{[](const auto&) { SleepForever(); }};
  FakeCgroups groups_;
  const std::shared_ptr<HangingReleases> releases_ = std::make_shared<HangingReleases>();
};

TEST_F(SurvivorTest, OfKillsWhileAReleaseHangsOnlyTheLastKeepsItsHandles) {
  ReleasingGroupEnd releasing(groups_, ReleaseBy(releases_));
  const std::ptrdiff_t before = OpenDescriptors();
  ASSERT_TRUE(releasing.Kill("pod"));
  ASSERT_TRUE(AwaitRelease());
  for (int i = 0; i < 100; ++i) ASSERT_TRUE(releasing.Kill("pod"));
  EXPECT_EQ(groups_.kills().size(), 101U);
  EXPECT_EQ(OpenDescriptors(), before + 2);
  releases_->go_on.release(3);
  ASSERT_TRUE(AwaitRelease());
  while (OpenDescriptors() > before) std::this_thread::yield();
  ASSERT_TRUE(releasing.Kill("pod"));
  EXPECT_TRUE(AwaitRelease()) << "handles are taken again";
}

TEST_F(SurvivorTest, TheEndDoesNotWaitForAReleaseThatHangs) {
  auto releasing = std::make_unique<ReleasingGroupEnd>(groups_, ReleaseBy(releases_));
  ASSERT_TRUE(releasing->Kill("pod"));
  ASSERT_TRUE(AwaitRelease());
  auto end = std::async(std::launch::async, [&] { releasing.reset(); });
  EXPECT_EQ(end.wait_for(kGoodTime), std::future_status::ready);
  releases_->go_on.release();
  while (releases_.use_count() > 1)
    std::this_thread::yield();  // the thread that was left has ended
}

}  // namespace
}  // namespace jettison
