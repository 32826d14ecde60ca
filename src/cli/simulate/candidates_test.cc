#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/simulate/simulate.h"
#include "cli/terminal/output.h"
#include "kernel/files/files.h"

namespace jettison {
namespace {

using testing::HasSubstr;

TEST(Candidates, ASettingHasOneSweep) {
  const auto forms = ReadCandidates({.policy_files = {},
                                     .sweeps = {"evictionHard.memory.available=50Mi,100Mi",
                                                "evictionHard.memory.available=1Gi"}});
  ASSERT_FALSE(forms);
  EXPECT_THAT(forms.error().message,
              HasSubstr("evictionHard.memory.available: has two sweeps; give all its values in "
                        "one: --sweep evictionHard.memory.available=VALUE,VALUE"));
  EXPECT_TRUE(ReadCandidates(
      {.policy_files = {},
       .sweeps = {"evictionHard.memory.available=50Mi", "evictionHard.nodefs.available=5%"}}));
}

TEST(Candidates, AFileThatCannotBeReadIsNoInvalidInput) {
  const auto unread =
      ReadCandidates({.policy_files = {"/nonexistent/policy.yaml"}, .sweeps = {}, .against = {}});
  ASSERT_FALSE(unread);
  EXPECT_EQ(ExitStatusOf(unread.error()), kExitFailed);
  EXPECT_THAT(unread.error().message, HasSubstr("/nonexistent/policy.yaml: cannot be read"));
  const auto input = ReadCandidates({.policy_files = {"-"}, .sweeps = {}, .against = {}});
  ASSERT_FALSE(input);
  EXPECT_EQ(input.error().message,
            "-: a policy must be a file; only a recording is read from standard input");
  const auto empty = ReadCandidates({.policy_files = {"/dev/null"}, .sweeps = {}, .against = {}});
  ASSERT_FALSE(empty);
  EXPECT_EQ(ExitStatusOf(empty.error()), kExitInvalidInput);
  EXPECT_EQ(empty.error().message, "/dev/null: the file is empty");
}

}  // namespace
}  // namespace jettison
