#include "cli/doctor/doctor_foreign.h"

#include <gtest/gtest.h>

namespace jettison {
namespace {

TEST(DoctorForeignPods, WhatCanBeGuardedIsCountedAndWhatCannotIsNamed) {
  AgentConfig config;
  config.adopt = AdoptPolicy::kEvict;
  const HostCheck ok = ForeignPodsCheck(config, GuardTrial{.guarded = 2, .problems = {}});
  EXPECT_EQ(ok.status, HostStatus::kOk);
  EXPECT_EQ(ok.found, "2 can be guarded (adopt: evict)");
  const HostCheck some = ForeignPodsCheck(
      config, GuardTrial{.guarded = 1, .problems = {"pod a is left out: x", "pod b: y"}});
  EXPECT_EQ(some.status, HostStatus::kDegraded);
  EXPECT_EQ(some.found, "1 can be guarded (adopt: evict); pod a is left out: x; pod b: y");
}

TEST(DoctorForeignPods, WhatCannotBeToldIsSaid) {
  const HostCheck silent = ForeignPodsCheck({}, Fail(ErrorCode::kDeadlineExceeded, "no answer"));
  EXPECT_EQ(silent.status, HostStatus::kDegraded);
  EXPECT_EQ(silent.found, "they cannot be looked for: no answer");
}

}  // namespace
}  // namespace jettison
