#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/simulate/simulate.h"
#include "cli/terminal/output.h"
#include "kernel/files/files.h"

namespace jettison {
namespace {

using testing::HasSubstr;

// What is told on standard error of what a command line asks for.
std::string FaultsOf(const CandidateOptions& options, int status) {
  CommandFaults faults;
  testing::internal::CaptureStderr();
  (void)ReadCandidates(options, faults);
  std::string told = testing::internal::GetCapturedStderr();
  EXPECT_EQ(faults.status(), status) << told;
  return told;
}

TEST(Candidates, ASettingHasOneSweep) {
  EXPECT_THAT(FaultsOf({.policy_files = {},
                        .sweeps = {"evictionHard.memory.available=50Mi,100Mi",
                                   "evictionHard.memory.available=1Gi"}},
                       kExitInvalidInput),
              HasSubstr("evictionHard.memory.available: has two sweeps; give all its values in "
                        "one: --sweep evictionHard.memory.available=VALUE,VALUE"));
  EXPECT_EQ(FaultsOf({.policy_files = {},
                      .sweeps = {"evictionHard.memory.available=50Mi",
                                 "evictionHard.nodefs.available=5%"}},
                     0),
            "");
}

TEST(Candidates, AFileThatCannotBeReadIsNoInvalidInput) {
  EXPECT_THAT(FaultsOf({.policy_files = {"/nonexistent/policy.yaml"}, .sweeps = {}}, kExitFailed),
              HasSubstr("/nonexistent/policy.yaml: cannot be read"));
  EXPECT_EQ(FaultsOf({.policy_files = {"-"}, .sweeps = {}}, kExitInvalidInput),
            "jettison: -: a policy must be a file; only a recording is read from standard input\n");
  EXPECT_EQ(FaultsOf({.policy_files = {"/dev/null"}, .sweeps = {}}, kExitInvalidInput),
            "jettison: /dev/null: the file is empty\n");
}

}  // namespace
}  // namespace jettison
