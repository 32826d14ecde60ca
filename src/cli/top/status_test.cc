#include <gtest/gtest.h>

#include "cli/top/top.h"

namespace jettison {
namespace {

TEST(FailedChecks, AreNamedWithTheirReasons) {
  EXPECT_EQ(FailedChecks("[+]loop ok\n[+]cluster ok\nreadyz check passed\n"), "");
  EXPECT_EQ(FailedChecks("[+]loop ok\n[-]pass failed: none for 40 s\n[+]figures ok\n"
                         "[-]cluster failed: pods cannot be listed: 403\nreadyz check failed\n"),
            "pass: none for 40 s; cluster: pods cannot be listed: 403");
  for (const char* other : {"", "\n", "[-]", "[-]pass", "not found"}) {
    EXPECT_EQ(FailedChecks(other), "") << other;
  }
  EXPECT_EQ(FailedChecks("[-]pass failed: a\x1b[2Jb"), FailedChecks("[-]pass failed: a\x1b[2Jb\n"));
  EXPECT_EQ(FailedChecks("[-]pass failed: a\x1b[2Jb").find('\x1b'), std::string::npos);
}

}  // namespace
}  // namespace jettison
