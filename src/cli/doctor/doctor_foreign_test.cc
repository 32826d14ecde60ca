#include "cli/doctor/doctor_foreign.h"

#include <gtest/gtest.h>

namespace jettison {
namespace {

TEST(DoctorForeignPods, WhatOthersRunIsCounted) {
  AgentConfig config;
  config.adopt = AdoptPolicy::kEvict;
  cri::ForeignFacts facts{.sandboxes = 2, .tells_containers = true};
  EXPECT_EQ(ForeignPodsCheck(config, facts).found, "2 through CRI (adopt: evict)");
  facts.containers = {{"default", 3}, {"moby", 1}};
  EXPECT_EQ(ForeignPodsCheck(config, facts).found,
            "2 through CRI, 3 in containerd's namespace default, 1 in containerd's namespace moby "
            "(adopt: evict)");
  EXPECT_EQ(ForeignPodsCheck(config, facts).status, HostStatus::kOk);
  facts = {.sandboxes = 2, .tells_containers = true, .uncounted = {{"moby", "too large"}}};
  EXPECT_EQ(ForeignPodsCheck(config, facts).found,
            "2 through CRI, not counted in containerd's namespace moby: too large (adopt: evict)");
}

TEST(DoctorForeignPods, WhatCannotBeToldIsSaid) {
  EXPECT_EQ(ForeignPodsCheck({}, cri::ForeignFacts{.sandboxes = 1}).found,
            "1 through CRI; the runtime does not report other containers (adopt: observe)");
  const HostCheck silent = ForeignPodsCheck({}, Fail(ErrorCode::kDeadlineExceeded, "no answer"));
  EXPECT_EQ(silent.status, HostStatus::kDegraded);
  EXPECT_EQ(silent.found, "the runtime does not report them: no answer");
}

}  // namespace
}  // namespace jettison
