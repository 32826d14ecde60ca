#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <future>
#include <memory>
#include <semaphore>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "agent/reclaim/memory_ladder_thread.h"
#include "ports/fakes/fake_cgroups.h"
#include "ports/fakes/fake_clock.h"
#include "ports/fakes/fake_group_memory.h"

namespace jettison {
namespace {

using std::chrono::seconds;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr std::uint64_t kMi = 1 << 20;
constexpr const char* kDead = "kubepods/besteffort/podgone";
constexpr const char* kIdle = "kubepods/besteffort/podidle";

// A pod that has ended and left page cache, and one that runs.
class MemoryLadderTest : public testing::Test {
 protected:
  MemoryLadderTest() {
    for (const char* group : {"kubepods", "kubepods/besteffort", kDead, kIdle}) {
      EXPECT_TRUE(groups_->Create(group, {}));
    }
    EXPECT_TRUE(groups_->Join(kIdle, 7));
    groups_->SetMemory(kDead, {.usage = 40 * kMi});
    groups_->SetMemory(kIdle, {.usage = 100 * kMi});
    memory_->spare_by_group = {{kDead, 30 * kMi}, {kIdle, 90 * kMi}};
    memory_->cpu_us[kIdle] = 1'000'000;
  }
  MemoryClimb ClimbOf(std::uint64_t mebibytes) const {
    return {.goal = mebibytes * kMi, .pods_group = "kubepods", .pods = {{.group = kIdle}}};
  }
  ClimbOutcome Climbed(const MemoryClimb& climb) {
    return Climb(climb,
                 {.groups = *groups_,
                  .memory = *memory_,
                  .clock = *clock_,
                  .stop = [this] { return stop_; }},
                 samples_);
  }

  const std::shared_ptr<FakeCgroups> groups_ = std::make_shared<FakeCgroups>();
  const std::shared_ptr<FakeGroupMemory> memory_ = std::make_shared<FakeGroupMemory>(*groups_);
  const std::shared_ptr<FakeClock> clock_ =
      std::make_shared<FakeClock>(Instant(std::chrono::hours(1)));
  CpuSamples samples_;
  bool stop_ = false;
};

TEST_F(MemoryLadderTest, TheDeadAreAskedUntilTheyGiveNothingMore) {
  const ClimbOutcome outcome = Climbed(ClimbOf(1000));
  EXPECT_THAT(outcome.reclaimed,
              ElementsAre(ReclaimedMemory{MemoryReclaim::kDead, kDead, 30 * kMi}));
  EXPECT_THAT(outcome.errors, IsEmpty());
  EXPECT_EQ(memory_->asked.size(), 3U) << "16, 14, and nothing";
}

TEST_F(MemoryLadderTest, WhoHardlyRanIsAskedAfterTheDead) {
  (void)Climbed(ClimbOf(1));  // looks at CPU time for the first time
  clock_->Advance(seconds(5));
  const ClimbOutcome outcome = Climbed(ClimbOf(50));
  EXPECT_THAT(outcome.reclaimed,
              ElementsAre(ReclaimedMemory{MemoryReclaim::kDead, kDead, 14 * kMi},
                          ReclaimedMemory{MemoryReclaim::kIdle, kIdle, 48 * kMi}));
}

TEST_F(MemoryLadderTest, WhoRunsIsLeftAlone) {
  (void)Climbed(ClimbOf(1));
  clock_->Advance(seconds(5));
  memory_->cpu_us[kIdle] += 60'000;
  for (const ReclaimedMemory& taken : Climbed(ClimbOf(50)).reclaimed) {
    EXPECT_EQ(taken.group, kDead);
  }
}

TEST_F(MemoryLadderTest, NothingMoreIsAskedForThanWhatLacks) {
  EXPECT_EQ(Climbed(ClimbOf(10)).reclaimed.at(0).bytes, 16 * kMi);
  EXPECT_EQ(memory_->asked.size(), 1U);
}

TEST_F(MemoryLadderTest, AClimbEndsAtOnceWhenItIsToStopAndAfterFiveSeconds) {
  memory_->on_take = [this] { stop_ = true; };
  (void)Climbed(ClimbOf(1000));
  EXPECT_EQ(memory_->asked.size(), 1U);
  stop_ = false;
  memory_->on_take = [this] { clock_->Advance(seconds(5)); };
  (void)Climbed(ClimbOf(1000));
  EXPECT_EQ(memory_->asked.size(), 2U);
}

TEST_F(MemoryLadderTest, AKernelWithoutMeansIsAnErrorNotAGain) {
  memory_->unavailable = true;
  const ClimbOutcome outcome = Climbed(ClimbOf(1000));
  ASSERT_EQ(outcome.errors.size(), 1U);
  EXPECT_EQ(outcome.reclaimed.at(0).bytes, 0U);
}

// The ladder of an agent with a soft threshold that is met.
class MemoryLadderThreadTest : public MemoryLadderTest {
 protected:
  std::unique_ptr<MemoryLadderThread> Make(MemoryReclaim reclaim,
                                           std::shared_ptr<GroupMemory> memory) {
    return std::make_unique<MemoryLadderThread>(
        MemoryLadderSettings{.reclaim = reclaim, .pods_group = "kubepods"},
        MemoryLadderEdges{.groups = groups_,
                          .memory = std::move(memory),
                          .clock = clock_,
                          .log = log_,
                          .group_of = [](const PodFacts&) { return std::string(kIdle); }});
  }
  void See(MemoryLadderThread& ladder, std::int64_t available) {
    Observations observations;
    observations[Signal::kMemoryAvailable] = {.available = available * 1048576,
                                              .capacity = std::int64_t{1000} * 1048576};
    const std::vector<const PodFacts*> pods = {&pod_};
    ladder.Seen(thresholds_, observations, pods, clock_->Now());
  }
  // Waits until a climb has reported something.
  static std::vector<ReclaimedMemory> Await(MemoryLadderThread& ladder) {
    const auto until = std::chrono::steady_clock::now() + seconds(20);
    while (std::chrono::steady_clock::now() < until) {
      auto reclaimed = ladder.TakeReclaimed();
      if (!reclaimed.empty()) return reclaimed;
      std::this_thread::yield();
    }
    return {};
  }

  const std::vector<Threshold> thresholds_ = {{.signal = Signal::kMemoryAvailable,
                                               .value = Quantity::Of(std::int64_t{100} * 1048576),
                                               .grace_period = seconds(30),
                                               .min_reclaim = std::nullopt}};
  const PodFacts pod_;
  std::vector<std::string> lines_;
  Log log_{LogFormat::kText, *clock_, [this](std::string_view line) { lines_.emplace_back(line); }};
};

TEST_F(MemoryLadderThreadTest, ASoftThresholdThatIsMetIsClimbedForOnceInFiveSeconds) {
  const auto ladder = Make(MemoryReclaim::kDead, memory_);
  See(*ladder, 200);
  See(*ladder, 90);
  EXPECT_THAT(Await(*ladder), ElementsAre(ReclaimedMemory{MemoryReclaim::kDead, kDead, 16 * kMi}));
  EXPECT_THAT(lines_, Contains(HasSubstr("bytes=16777216")));
  See(*ladder, 90);
  EXPECT_THAT(ladder->TakeReclaimed(), IsEmpty());
  clock_->Advance(seconds(5));
  See(*ladder, 90);
  EXPECT_EQ(Await(*ladder).at(0).bytes, 14 * kMi);
}

TEST_F(MemoryLadderThreadTest, ADryRunAsksNobodyForAnything) {
  const auto ladder = Make(MemoryReclaim::kIdle, std::make_shared<DryRunGroupMemory>(memory_));
  See(*ladder, 90);
  EXPECT_THAT(Await(*ladder), ElementsAre(ReclaimedMemory{MemoryReclaim::kDead, kDead, 0}));
  EXPECT_THAT(memory_->asked, IsEmpty());
}

TEST_F(MemoryLadderThreadTest, TheEndDoesNotWaitForTheKernel) {
  struct Kernel {
    std::counting_semaphore<> asked{0};
    std::counting_semaphore<> answers{0};
    std::atomic<int> times_asked = 0;
  };
  const auto kernel = std::make_shared<Kernel>();
  memory_->on_take = [kernel] {
    ++kernel->times_asked;
    kernel->asked.release();
    kernel->answers.acquire();
  };
  auto ladder = Make(MemoryReclaim::kDead, memory_);
  See(*ladder, 10);
  ASSERT_TRUE(kernel->asked.try_acquire_for(seconds(20)));
  auto end = std::async(std::launch::async, [&] { ladder.reset(); });
  EXPECT_EQ(end.wait_for(seconds(20)), std::future_status::ready);
  kernel->answers.release(100);
  while (memory_.use_count() > 1) std::this_thread::yield();  // the thread that was left has ended
  EXPECT_EQ(kernel->times_asked, 1) << "the reclaim stops at the end";
}

}  // namespace
}  // namespace jettison
