#include "agent/evictions/pod_growth_meter.h"

#include <gtest/gtest.h>

#include <array>

namespace jettison {
namespace {

using std::chrono::milliseconds;

constexpr std::int64_t kMiB = std::int64_t{1} << 20;
constexpr Duration kApart = milliseconds(9);

class PodGrowthMeterTest : public testing::Test {
 protected:
  PodGrowthMeterTest() {
    for (std::size_t i = 0; i < facts_.size(); ++i) facts_[i].identity = i;
  }
  // The index of the pod that grows fastest, and its growth in MiB a second.
  using Fastest = std::optional<std::pair<std::size_t, std::int64_t>>;
  // A look 5 ms later. What each pod holds in MiB; negative: the pod is not there.
  Fastest Look(std::initializer_list<std::int64_t> amounts) {
    now_ += milliseconds(5);
    std::vector<PodAmount> pods;
    std::size_t i = 0;
    for (const std::int64_t amount : amounts) {
      if (amount >= 0) pods.emplace_back(facts_[i], amount * kMiB);
      ++i;
    }
    const auto fastest = meter_.Seen(pods, kApart, now_);
    if (!fastest) return std::nullopt;
    return std::pair(static_cast<std::size_t>(fastest->facts - facts_.data()),
                     fastest->per_second / kMiB);
  }

  std::array<PodFacts, 3> facts_;
  PodGrowthMeter meter_{kMiB};
  Instant now_{std::chrono::hours(1)};
};

TEST_F(PodGrowthMeterTest, SaysWhoGrowsFastestOnceLooksAreFarEnoughApart) {
  EXPECT_EQ(Look({10, 20, 30}), std::nullopt);
  EXPECT_EQ(Look({10, 26, 32}), std::nullopt);
  EXPECT_EQ(Look({10, 32, 34}), Fastest({1, 1100})) << "12 MiB in 10 ms, less the jitter";
  for (std::int64_t i = 3; i <= 20; ++i) Look({10, 20 + 6 * i, 30 + 2 * i});
  const auto fastest = Look({10, 20 + 6 * 21, 30 + 2 * 21});
  ASSERT_TRUE(fastest);
  EXPECT_EQ(fastest->first, 1U);
  EXPECT_GE(fastest->second, 1140);
}

TEST_F(PodGrowthMeterTest, NobodyGrowsByLessThanTheJitter) {
  for (int i = 0; i < 20; ++i) EXPECT_EQ(Look({10, i % 2, 30}), std::nullopt);
}

TEST_F(PodGrowthMeterTest, PodsThatComeAndGoAreNoGrowth) {
  Look({10, -1, 30});
  Look({10, 500, 30});
  EXPECT_EQ(Look({-1, 500, 30}), std::nullopt);
  EXPECT_EQ(Look({-1, 500, 60}), Fastest({2, 1933})) << "30 MiB in 15 ms, less the jitter";
}

TEST_F(PodGrowthMeterTest, APodIsTheSameWhereverItsFactsAre) {
  for (int i = 0; i < 3; ++i) Look({10, 200, 30});
  std::swap(facts_[0], facts_[1]);
  EXPECT_EQ(Look({200, 10, 30}), std::nullopt) << "one address holds another pod";
  EXPECT_EQ(Look({230, 10, 30}), Fastest({0, 1450})) << "30 MiB in 20 ms, less the jitter";
}

TEST_F(PodGrowthMeterTest, GrowthThatHasEndedIsForgotten) {
  for (int i = 0; i < 10; ++i) Look({10, 20 + 6 * i, 30});
  for (int i = 0; i < 11; ++i) Look({10, 80, 30});
  EXPECT_EQ(Look({10, 80, 30}), std::nullopt);
}

TEST_F(PodGrowthMeterTest, ALookLongAgoSaysNothing) {
  Look({10, 20, 30});
  now_ += std::chrono::seconds(10);
  EXPECT_EQ(Look({10, 900, 30}), std::nullopt);
}

}  // namespace
}  // namespace jettison
