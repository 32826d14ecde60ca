#include "cli/terminal/command_faults.h"

#include <gtest/gtest.h>

#include <string>

namespace jettison {
namespace {

TEST(CommandFaults, AreToldAllAndWrongUsageDecidesTheStatus) {
  testing::internal::CaptureStderr();
  CommandFaults faults;
  faults.Add("");
  EXPECT_EQ(faults.Take(Result<int>(5)), 5);
  EXPECT_EQ(faults.status(), 0);
  (void)faults.Take(Result<int>(Fail(ErrorCode::kUnavailable, "k.yaml cannot be read")));
  EXPECT_EQ(faults.status(), 1);
  faults.Add("--every must be a duration");
  EXPECT_EQ(faults.status(), 2);
  faults.Add(Error{ErrorCode::kUnavailable, "token cannot be read"});
  EXPECT_EQ(faults.status(), 2);
  EXPECT_EQ(testing::internal::GetCapturedStderr(),
            "jettison: k.yaml cannot be read\n"
            "jettison: --every must be a duration\n"
            "jettison: token cannot be read\n");
}

}  // namespace
}  // namespace jettison
