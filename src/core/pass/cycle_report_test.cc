#include <gtest/gtest.h>

#include "core/pass/pass.h"

namespace jettison {
namespace {

TEST(ConditionEvents, TellEachConditionThatChangedInTheKubeletsOrder) {
  NodeConditions before;
  before.Set(NodeConditionType::kPidPressure);
  NodeConditions after;
  after.Set(NodeConditionType::kSystemDiskContentionPressure);
  after.Set(NodeConditionType::kDiskPressure);
  after.Set(NodeConditionType::kMemoryPressure);
  std::vector<std::string> reasons;
  for (const Event& event : ConditionEvents(before, after)) {
    reasons.push_back(event.reason);
    EXPECT_EQ(event.message, "Node status is now: " + event.reason);
    EXPECT_EQ(event.type, EventType::kNormal);
  }
  EXPECT_EQ(reasons, (std::vector<std::string>{"NodeHasInsufficientMemory", "NodeHasDiskPressure",
                                               "NodeHasSufficientPID", "NodeHasDiskContention"}));
  EXPECT_TRUE(ConditionEvents(after, after).empty());
}

TEST(ConditionText, IsTheKubelets) {
  const NodeConditionText text = TextOf(NodeConditionType::kMemoryPressure, true);
  EXPECT_EQ(text.type, "MemoryPressure");
  EXPECT_EQ(text.status, "True");
  EXPECT_EQ(text.reason, "KubeletHasInsufficientMemory");
  EXPECT_EQ(TextOf(NodeConditionType::kDiskPressure, false).message,
            "kubelet has no disk pressure");
  EXPECT_EQ(TaintOf(NodeConditionType::kDiskPressure), "node.kubernetes.io/disk-pressure");
}

}  // namespace
}  // namespace jettison
