#include "cli/demo/demo_checklist.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/terminal/terminal.h"

namespace jettison {
namespace {

using ::testing::ElementsAre;

TEST(Checklist, NothingIsCutWhereStandardOutputIsNoTerminal) {
  const std::string what = "it was evicted, and no other pod " + std::string(80, 'w');
  const std::string detail = "after 3 s: " + std::string(300, 'd') + " " + std::string(300, 'e');
  testing::internal::CaptureStdout();
  const std::size_t columns = ColumnsOfStandardOutput();
  testing::internal::GetCapturedStdout();
  EXPECT_THAT(
      Checklist({{.what = what, .held = true, .detail = detail}}, std::chrono::seconds(2), columns,
                {.color = false, .unicode = false}),
      ElementsAre(" ok  " + what + ", " + detail, "", " 1 of 1 expectations held, in 2.0 s."));
}

}  // namespace
}  // namespace jettison
