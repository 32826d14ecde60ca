#include "cli/simulate/candidates.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

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

}  // namespace
}  // namespace jettison
