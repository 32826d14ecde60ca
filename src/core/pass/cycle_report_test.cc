#include <gtest/gtest.h>

#include "core/pass/pass.h"

namespace jettison {
namespace {

TEST(ConditionEvents, TellEachConditionThatChangedInTheKubeletsOrder) {
  NodeConditions before;
  before.Set(NodeConditionType::kPidPressure);
  NodeConditions after;
  after.Set(NodeConditionType::kDiskPressure);
  after.Set(NodeConditionType::kMemoryPressure);
  const auto events = ConditionEvents(before, after);
  ASSERT_EQ(events.size(), 3U);
  EXPECT_EQ(events[0].reason, "NodeHasInsufficientMemory");
  EXPECT_EQ(events[1].reason, "NodeHasDiskPressure");
  EXPECT_EQ(events[2].reason, "NodeHasSufficientPID");
  EXPECT_EQ(events[0].message, "Node status is now: NodeHasInsufficientMemory");
  EXPECT_EQ(events[0].type, EventType::kNormal);
  EXPECT_TRUE(ConditionEvents(after, after).empty());
}

TEST(ConditionText, IsTheKubelets) {
  EXPECT_EQ(TextOf(NodeConditionType::kMemoryPressure, true).reason,
            "KubeletHasInsufficientMemory");
  EXPECT_EQ(TextOf(NodeConditionType::kDiskPressure, false).message,
            "kubelet has no disk pressure");
  EXPECT_EQ(TextOf(NodeConditionType::kPidPressure, true).status, "True");
  EXPECT_EQ(TaintOf(NodeConditionType::kDiskPressure), "node.kubernetes.io/disk-pressure");
}

TEST(ConditionText, OfContentionHasWordsOfItsOwn) {
  constexpr auto kContention = NodeConditionType::kSystemDiskContentionPressure;
  EXPECT_EQ(TextOf(kContention, true).reason, "KubeletHasDiskContention");
  EXPECT_EQ(TextOf(kContention, false).status, "False");
  EXPECT_EQ(TaintOf(kContention), "node.kubernetes.io/disk-contention-pressure");
  NodeConditions after;
  after.Set(kContention);
  const auto events = ConditionEvents({}, after);
  ASSERT_EQ(events.size(), 1U);
  EXPECT_EQ(events[0].reason, "NodeHasDiskContention");
  for (const NodeConditionType type : kAllNodeConditions) {
    EXPECT_EQ(TextOf(type, true).type, NameOf(type));
  }
}

}  // namespace
}  // namespace jettison
