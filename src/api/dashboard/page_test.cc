#include "api/dashboard/page.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace jettison {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

TEST(DashboardPage, IsOneWholePageThatNamesNoOtherOrigin) {
  const std::string page(DashboardPage());
  EXPECT_THAT(page, StartsWith("<!doctype html>"));
  EXPECT_THAT(page, EndsWith("</html>\n"));
  for (const char* other : {"src=\"http", "src=\"//", "href=\"http", "href=\"//", "url(http",
                            "@import", "import(", "/* style */", "/* script */"}) {
    EXPECT_THAT(page, Not(HasSubstr(other)));
  }
  const std::string policy(DashboardPolicy());
  EXPECT_THAT(policy, StartsWith("default-src 'none'; "));
  EXPECT_THAT(policy, HasSubstr("frame-ancestors 'none'"));
  EXPECT_THAT(policy, Not(HasSubstr("unsafe")));
  EXPECT_THAT(policy, Not(HasSubstr("http")));
}

}  // namespace
}  // namespace jettison
