// The steady state of a decision pass allocates nothing: counted by replacing operator new.

#include <gtest/gtest.h>

#include <memory>

#include "core/decide/decide.h"
#include "tests/counted_allocations.h"
#include "tests/synthetic_node.h"

namespace jettison {
namespace {

TEST(Allocation, TheHookCounts) {
  const std::size_t before = allocations;
  const auto box = std::make_unique<int>(1);
  EXPECT_EQ(allocations, before + 1);
}

TEST(Allocation, ADecisionPassUnderMemoryPressureAllocatesNothingInTheSteadyState) {
  const SyntheticNode node(1000, 5);
  const PassPolicy policy{.thresholds = DefaultThresholds()};
  std::vector<ActivePod> joined;
  EvictionState state;
  Instant now{};
  std::size_t in_last_pass = 0;
  for (int pass = 0; pass < 3; ++pass) {
    now += std::chrono::seconds(10);
    const std::size_t before = allocations;
    JoinStats(node.pods, node.summary, joined);
    const Evaluation evaluation = Evaluate(policy, state, ObservationsFrom(node.summary), now);
    const Decision decision = Decide(policy, evaluation, evaluation.acting, joined);
    state = evaluation.next;
    in_last_pass = allocations - before;
    ASSERT_TRUE(decision.victim);
    ASSERT_TRUE(decision.violations.empty());
  }
  EXPECT_EQ(in_last_pass, 0U);
}

}  // namespace
}  // namespace jettison
