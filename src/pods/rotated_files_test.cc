#include "pods/rotated_files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace jettison {
namespace {

using testing::ElementsAre;

// Versions before 0.2.0 numbered the rotated logs.
TEST(PlanTidying, ANameWithoutATimeIsNoRotatedFile) {
  const LogTidying plan = PlanTidying(
      {"0.log", "0.log.1", "0.log.2", "0.log.20260101-000000", "0.log.20260101-000001",
       "0.log.20260101-000002", "0.log.20260101-000003.tmp", "0.log.old", "1.log.20260101-000000"},
      "0.log", 3);
  EXPECT_THAT(plan.remove, ElementsAre("0.log.20260101-000003.tmp", "0.log.20260101-000000"));
  EXPECT_THAT(plan.compress, ElementsAre("0.log.20260101-000001"));
}

}  // namespace
}  // namespace jettison
