#include "agent/notify/eviction_history.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <thread>

#include "core/explain/testing/test_bed.h"

namespace jettison {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class EvictionHistoryTest : public testing::Test {
 protected:
  EvictionHistoryTest() {
    bed_.AddPod({.name = "leaker", .memory_mi = 300});
    bed_.AddPod({.name = "quiet", .memory_mi = 10, .memory_request_mi = 20});
    bed_.SetAvailable(66);
  }

  // Adds evictions and waits until the last one is explained.
  void Evict(int count, EvictionHistory& history) {
    for (int i = 0; i < count; ++i) {
      bed_.now += std::chrono::seconds(10);
      history.Add(std::make_shared<const RecordedPass>(bed_.Pass()));
    }
  }
  // The ids, when the last one is this or the time is up.
  static std::vector<std::string> IdsUntil(const std::string& last,
                                           const EvictionHistory& history) {
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    for (;;) {
      std::vector<std::string> ids;
      const auto evictions = history.Evictions();
      for (const auto& kept : *evictions) ids.push_back(kept->id);
      const bool there = !ids.empty() && ids.back() == last;
      if (there || std::chrono::steady_clock::now() > deadline) return ids;
      std::this_thread::yield();
    }
  }

  ExplainTestBed bed_;
};

TEST_F(EvictionHistoryTest, TheLastEvictionsAreExplainedBesideTheLoop) {
  EvictionHistory history({}, 3);
  Evict(5, history);
  ASSERT_THAT(IdsUntil("ev-5", history), ElementsAre("ev-3", "ev-4", "ev-5"));
  const auto evictions = history.Evictions();
  const PastEviction& kept = *evictions->front();
  EXPECT_EQ(kept.pod.FullName(), "default/leaker");
  EXPECT_EQ(kept.signal, "memory.available");
  EXPECT_THAT(kept.message, HasSubstr("The node was low on resource: memory."));
  EXPECT_THAT(kept.text, HasSubstr("eviction ev-3"));
}

TEST_F(EvictionHistoryTest, InADryRunTheSameVictimCountsOnce) {
  EvictionHistory history({.dry_run = true});
  Evict(3, history);
  bed_.StatsOf("quiet").memory_working_set_bytes = ExplainTestBed::Bytes(400);
  Evict(1, history);
  EXPECT_THAT(IdsUntil("ev-2", history), ElementsAre("ev-1", "ev-2"));
  EXPECT_TRUE(history.Evictions()->front()->dry_run);
}

TEST(EvictionIds, AreNumbersWithoutFrills) {
  EXPECT_EQ(EvictionNumber("ev-12"), 12U);
  for (const char* text :
       {"", "ev-", "ev-0", "ev-01", "ev-1x", "ev--1", "12", "ev-99999999999999999999"}) {
    EXPECT_EQ(EvictionNumber(text), 0U) << text;
  }
}

}  // namespace
}  // namespace jettison
