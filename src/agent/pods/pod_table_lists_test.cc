#include <chrono>
#include <cstdint>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "agent/pods/pod_table_test_bed.h"

namespace jettison {
namespace {

// The lists of active and of ending pods, which are kept from one change to the next.
class PodTableListsTest : public PodTableTest {
 protected:
  // Compares them with lists that are made now.
  void ExpectFresh() {
    const PodViews& kept = table_;
    const PodViews fresh(kept);
    ASSERT_EQ(kept.Active(), fresh.Active());
    ASSERT_EQ(kept.Ending(), fresh.Ending());
    seen_.insert(Active());
    any_ended_ = any_ended_ || !kept.Ending().empty();
  }
  void DeliverEach() {
    for (auto told = runtime_.TakeEvents(); !told.empty(); told = runtime_.TakeEvents()) {
      for (const RuntimeEvent& event : told) {
        table_.Handle(event, now_);
        ExpectFresh();
      }
    }
  }
  [[nodiscard]] std::size_t Below(std::size_t limit) { return random_() % limit; }
  [[nodiscard]] std::string AnyName() { return std::string(1, static_cast<char>('a' + Below(6))); }
  void WantSome() {
    std::vector<Pod> pods;
    for (const std::string name : {"a", "b", "c", "d", "e", "f"}) {
      if (Below(3) == 0) continue;
      pods.push_back(PodNamed(name));
      // Another specification now and then, which replaces the pod.
      pods.back().containers[0].args = {std::to_string(Below(2))};
      if (Below(4) == 0) pods.back().uid += "-anew";
    }
    table_.SetWanted(WantedPods(std::move(pods)), now_);
  }
  void FindForeign() {
    RuntimePod pod{.pod = PodNamed("foreign-" + AnyName()), .foreign = true};
    pod.containers.push_back({.pod_uid = pod.pod.uid, .name = "c", .attempt = 0, .created = now_});
    const std::string uid = pod.pod.uid;
    table_.Handle(PodFound{.pod_uid = uid, .pod = std::move(pod)}, now_);
  }
  void DoAnything() {
    switch (Below(12)) {
      case 0: return WantSome();
      case 1: return (void)table_.EvictNow(OrderFor(AnyName(), 1), now_);
      case 2: return (void)table_.EvictNow(OrderFor(AnyName(), 60), now_);
      case 3: return (void)table_.NoteEvicted(OrderFor(AnyName(), 60), now_);
      case 4: return (void)table_.KillNow("uid-" + AnyName(), now_);
      case 5: return (void)table_.KillSurvivors(now_);
      case 6: return runtime_.Exit("uid-" + AnyName(), "c", static_cast<int>(Below(2)));
      case 7: return table_.PassDone({}, now_);
      case 8: return table_.PutOffEnds(std::chrono::seconds(Below(3)));
      case 9: return FindForeign();
      default: break;
    }
    now_ += std::chrono::milliseconds(Below(20'000));
    runtime_.SetNow(now_);
    table_.Advance(now_);
  }

  std::mt19937 random_{1};
  std::set<std::vector<std::string>> seen_;
  bool any_ended_ = false;
};

TEST_F(PodTableListsTest, WhateverHappensTheyAreNeverStale) {
  table_.SetAdoptPolicy(AdoptPolicy::kEvict);
  table_.Adopt({}, now_);
  runtime_.IgnoreStop("c");
  for (int i = 0; i < 3000; ++i) {
    DoAnything();
    ASSERT_NO_FATAL_FAILURE(ExpectFresh()) << "step " << i;
    if (Below(3) > 0) DeliverEach();
    ASSERT_FALSE(HasFailure()) << "step " << i;
  }
  table_.StopAll(now_);
  ExpectFresh();
  EXPECT_GT(seen_.size(), 50U);
  EXPECT_TRUE(any_ended_);
}

TEST_F(PodTableListsTest, WhereNothingChangesTheyAreNotMadeAnew) {
  Want({PodNamed("a"), PodNamed("b")});
  Pass(std::chrono::seconds(1));
  PassDone();
  const auto version = table_.version();
  ASSERT_TRUE(version);
  for (int i = 0; i < 10; ++i) {
    Pass(std::chrono::seconds(1));
    PassDone();
    EXPECT_EQ(Active(), (std::vector<std::string>{"a", "b"}));
    (void)table_.Views(now_);
    (void)table_.NameOfPod("uid-a");
  }
  EXPECT_EQ(table_.version(), version);
  Evict("a");
  EXPECT_NE(table_.version(), version);
  EXPECT_EQ(Active(), (std::vector<std::string>{"b"}));
}

}  // namespace
}  // namespace jettison
