#include <gtest/gtest.h>

#include "core/pods/admission.h"

namespace jettison {
namespace {

const std::string kKey = "node.kubernetes.io/memory-pressure";

TEST(Tolerates, ComparesEffectKeyAndValue) {
  struct Row {
    const char* rule;
    Toleration toleration;
    bool tolerates;
  };
  const Row rows[] = {
      {"the very taint", {.key = kKey, .op = "Exists", .effect = "NoSchedule"}, true},
      {"no effect means every effect", {.key = kKey, .op = "Exists"}, true},
      {"another effect", {.key = kKey, .op = "Exists", .effect = "NoExecute"}, false},
      {"no key means every key", {.op = "Exists"}, true},
      {"another key", {.key = "node.kubernetes.io/disk-pressure", .op = "Exists"}, false},
      {"Equal compares values", {.key = kKey, .op = "Equal"}, true},
      {"and so does no operator", {.key = kKey, .value = "true"}, false},
      {"Exists does not", {.key = kKey, .op = "Exists", .value = "true"}, true},
      {"numbers need a value to compare with", {.key = kKey, .op = "Gt", .value = "1"}, false},
      {"an unknown operator", {.key = kKey, .op = "In"}, false},
  };
  for (const Row& row : rows) {
    EXPECT_EQ(Tolerates(row.toleration, NodeConditionType::kMemoryPressure), row.tolerates)
        << row.rule;
  }
}

TEST(ToleratesMemoryPressure, NeedsOneTolerationOfMany) {
  Pod pod;
  EXPECT_FALSE(ToleratesMemoryPressure(pod));
  pod.tolerations = {{.key = "other", .op = "Exists"}, {.key = kKey, .op = "Exists"}};
  EXPECT_TRUE(ToleratesMemoryPressure(pod));
}

}  // namespace
}  // namespace jettison
