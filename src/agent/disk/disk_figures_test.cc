#include "agent/disk/disk_figures.h"

#include <gtest/gtest.h>

#include <chrono>
#include <optional>
#include <string>
#include <utility>

namespace jettison {
namespace {

using std::chrono::seconds;

class KnownDiskUseTest : public testing::Test {
 protected:
  // A walk in which one pod was measured.
  void Measure(const std::string& uid, std::optional<std::uint64_t> bytes, bool partial) {
    known_.Begin({uid});
    PodDiskUse use{.measured_at = now_, .partial = partial};
    use.total = {.used_bytes = bytes, .inodes_used = bytes};
    known_.Put(uid, use);
  }
  std::optional<std::uint64_t> BytesOf(const std::string& uid) const {
    const auto use = known_.use().find(uid);
    return use == known_.use().end() ? std::nullopt : use->second.total.used_bytes;
  }

  Instant now_{std::chrono::hours(1)};
  KnownDiskUse known_;
};

TEST_F(KnownDiskUseTest, WhatWasFoundOfALatePodCountsWhereItIsNoLessThanWhatWasKnown) {
  const auto so_far = [](std::uint64_t inodes) {
    PodDiskUse use;
    if (inodes > 0) use.total = {.used_bytes = 4096 * inodes, .inodes_used = inodes};
    use.partial = true;
    return use;
  };
  known_.Begin({"late"});
  known_.PutSoFar("late", so_far(0));
  EXPECT_TRUE(known_.use().empty()) << "nothing was measured";
  for (const auto& [found, known] : {std::pair{70U, 70U}, {30U, 70U}, {80U, 80U}}) {
    known_.PutSoFar("late", so_far(found));
    EXPECT_EQ(known_.use().at("late").total.inodes_used, known);
  }
  Measure("late", 1, false);
  EXPECT_FALSE(known_.use().at("late").partial) << "it is known in the end";
}

TEST_F(KnownDiskUseTest, WhatCouldNotBeReadForAMomentMakesNoPodSmaller) {
  const auto measure = [&](std::optional<std::uint64_t> bytes, bool partial) {
    Measure("a", bytes, partial);
    return BytesOf("a");
  };
  EXPECT_EQ(measure(std::nullopt, true), std::nullopt) << "nothing is known of the pod";
  EXPECT_EQ(measure(3, true), 3U) << "a part is better than nothing";
  EXPECT_EQ(measure(10, false), 10U);
  now_ += seconds(59);
  EXPECT_EQ(measure(std::nullopt, true), 10U);
  EXPECT_EQ(measure(4, true), 10U);
  EXPECT_EQ(measure(12, true), 12U);
  now_ += seconds(60);
  EXPECT_EQ(measure(4, true), 4U) << "it stays as it is";
  EXPECT_EQ(measure(2, false), 2U);
}

TEST_F(KnownDiskUseTest, ThoseThatCouldNotBeReadAreWaitedForTenSeconds) {
  const auto measure = [&](const std::string& pod, bool partial) {
    Measure(pod, 1, partial);
    return known_.UnreadUntil(now_);
  };
  EXPECT_EQ(measure("known", false), std::nullopt);
  EXPECT_EQ(measure("known", true), std::nullopt) << "what was known before counts";
  const Instant until = now_ + seconds(10);
  EXPECT_EQ(measure("new", true), until);
  now_ += seconds(9);
  EXPECT_EQ(measure("new", true), until) << "from the first time on";
  now_ += seconds(1);
  EXPECT_EQ(measure("new", true), std::nullopt) << "it stays as it is";
  EXPECT_EQ(measure("new", false), std::nullopt);
  EXPECT_EQ(measure("new", true), std::nullopt) << "the pod is known now";
}

TEST_F(KnownDiskUseTest, PodsThatAreGoneAreForgotten) {
  Measure("a", 1, false);
  known_.Begin({"a", "b"});
  EXPECT_TRUE(known_.use().contains("a"));
  known_.Forget("a");
  EXPECT_FALSE(known_.use().contains("a"));
  Measure("a", 1, false);
  known_.Begin({"b"});
  EXPECT_FALSE(known_.use().contains("a"));
}

}  // namespace
}  // namespace jettison
