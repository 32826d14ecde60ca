#include "core/decide/early_kill.h"

#include <gtest/gtest.h>

namespace jettison {
namespace {

using std::chrono::milliseconds;

constexpr std::int64_t kMi = std::int64_t{1} << 20;
constexpr Instant kKilledAt{std::chrono::hours(1)};

bool Now(std::int64_t left_mi, std::int64_t growth_mi, Duration grace_left) {
  return MustKillNow({.left = left_mi * kMi,
                      .growth = growth_mi * kMi,
                      .now = kKilledAt,
                      .kill_at = kKilledAt + grace_left,
                      .usage = {}});
}

TEST(EarlyKill, WhoeverLeavesEnoughHasItsGracePeriod) {
  EXPECT_FALSE(Now(100, 0, milliseconds(1000)));
  EXPECT_FALSE(Now(1, -50, milliseconds(1000)));
  EXPECT_FALSE(Now(100, 99, milliseconds(1000)));
}

TEST(EarlyKill, ItComesWhenTheRestOnlyLastsForTheKill) {
  EXPECT_FALSE(Now(100, 480, milliseconds(1000))) << "208 ms: it may still end by itself";
  EXPECT_TRUE(Now(72, 480, milliseconds(940))) << "150 ms";
  EXPECT_TRUE(Now(0, 1, milliseconds(940)));
}

TEST(EarlyKill, OneThatHoldsNextToNothingHasItsGracePeriodWhoeverTakesTheRest) {
  EndingQuestion question{.left = 50 * kMi,
                          .growth = 900 * kMi,
                          .now = kKilledAt,
                          .kill_at = kKilledAt + milliseconds(1000),
                          .usage = 3 * kMi};
  EXPECT_FALSE(MustKillNow(question)) << "850 MiB would be missing";
  question.usage = 60 * kMi;
  EXPECT_TRUE(MustKillNow(question));
  question.usage = std::nullopt;
  EXPECT_TRUE(MustKillNow(question)) << "an unknown amount does not prevent the kill";
}

TEST(EarlyKill, ItIsNeverLaterThanTheGracePeriod) {
  EXPECT_TRUE(Now(1000, 0, milliseconds(0)));
  EXPECT_TRUE(Now(1000, 0, milliseconds(-5)));
}

TEST(EarlyKill, SaysHowMuchWasLeft) {
  EXPECT_EQ(TextOf(EarlyKill{.pod_uid = "hog",
                             .signal = Signal::kMemoryAvailable,
                             .at = kKilledAt,
                             .after = std::chrono::microseconds(120'400),
                             .grace = milliseconds(1000),
                             .left = 48 * kMi,
                             .growth = 480 * kMi + 7}),
            "killed after 120ms of its grace period of 1s: 48Mi of memory.available were left, and "
            "480Mi a second were taken");
}

}  // namespace
}  // namespace jettison
