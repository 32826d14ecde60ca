#include "agent/root_watch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <semaphore>
#include <string>
#include <thread>
#include <vector>

#include "ports/fakes/fake_clock.h"

namespace jettison {
namespace {

using std::chrono::seconds;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class RootWatchTest : public testing::Test {
 protected:
  // Advances until the watch says that nothing is wrong; false: it does not in good time.
  [[nodiscard]] bool Recovers(RootWatch& watch) {
    const auto until = std::chrono::steady_clock::now() + seconds(20);
    while (!watch.problem().empty() && std::chrono::steady_clock::now() < until) {
      watch.Advance(clock_.Now());
      std::this_thread::yield();
    }
    return watch.problem().empty();
  }

  FakeClock clock_{Instant(std::chrono::hours(1000))};
  std::vector<std::string> lines_;
  Log log_{LogFormat::kText, clock_, [this](std::string_view line) { lines_.emplace_back(line); }};
};

TEST_F(RootWatchTest, LooksEveryFewSecondsUntilTheRootCanBeWritten) {
  std::counting_semaphore<> looks(0);
  std::atomic<bool> can_be_written = false;
  RootWatch watch(
      "read-only",
      [&] {
        looks.release();
        return can_be_written.load();
      },
      log_);
  watch.Advance(clock_.Now());
  ASSERT_TRUE(looks.try_acquire_for(seconds(20)));
  EXPECT_EQ(watch.NextDeadline(), clock_.Now() + seconds(5));
  clock_.Advance(seconds(4));
  watch.Advance(clock_.Now());
  EXPECT_EQ(watch.NextDeadline(), clock_.Now() + seconds(1)) << "it does not look more often";
  EXPECT_EQ(watch.problem(), "read-only");
  can_be_written = true;
  clock_.Advance(seconds(1));
  EXPECT_TRUE(Recovers(watch));
  EXPECT_EQ(watch.NextDeadline(), std::nullopt);
  EXPECT_THAT(lines_, ElementsAre(HasSubstr("root can be written again")));
}

TEST_F(RootWatchTest, ALookThatHangsHoldsNobodyUp) {
  const auto hangs = std::make_shared<std::binary_semaphore>(0);
  {
    RootWatch watch(
        "broken",
        [hangs] {
          hangs->acquire();
          return true;
        },
        log_);
    watch.Advance(clock_.Now());
    EXPECT_EQ(watch.problem(), "broken");
  }
  hangs->release();
}

TEST_F(RootWatchTest, WhereNothingIsWrongOrCanBeLookedAtThereIsNothingToDo) {
  for (const char* problem : {"", "the state cannot be moved"}) {
    RootWatch watch(problem, nullptr, log_);
    EXPECT_EQ(watch.NextDeadline(), std::nullopt);
    watch.Advance(clock_.Now());
    EXPECT_EQ(watch.problem(), problem);
  }
  EXPECT_THAT(lines_, IsEmpty());
}

}  // namespace
}  // namespace jettison
