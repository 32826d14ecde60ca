#include "cli/doctor/doctor_checks.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace jettison {
namespace {

using testing::EndsWith;
using testing::HasSubstr;

const HostCheck kFine{"kernel", HostStatus::kOk, "Linux 6.18", "", ""};
const HostCheck kPoor{"swap", HostStatus::kDegraded, "/dev/sda2", "slow", "swapoff -a"};
const HostCheck kGone{"memory controller", HostStatus::kMissing, "none", "no eviction", "mount it"};

TEST(HostCheck, AHostIsReadyWhileNothingIsMissing) {
  EXPECT_TRUE(IsReady({kFine, kPoor}));
  EXPECT_FALSE(IsReady({kFine, kPoor, kGone}));
}

TEST(HostCheck, TextNamesWhatALackCostsAndHowToMendIt) {
  EXPECT_EQ(ChecksAsText({kFine, kPoor}),
            "ok        kernel  Linux 6.18\n"
            "degraded  swap    /dev/sda2\n"
            "                  costs:  slow\n"
            "                  remedy: swapoff -a\n"
            "\n"
            "This host is ready, with 1 degraded.\n");
  EXPECT_THAT(ChecksAsText({kGone, kPoor}),
              EndsWith("This host is not ready to evict pods: 1 missing.\n"));
  EXPECT_THAT(ChecksAsText({kFine}), EndsWith("This host offers everything.\n"));
}

TEST(HostCheck, WhatIsMissingOnlyForStartingPodsDoesNotMatterToAnAgentThatStartsNone) {
  HostCheck starting{"cgroup driver", HostStatus::kMissing, "systemd", "no pod starts", "set it"};
  starting.need = HostNeed::kStartingPods;
  EXPECT_THAT(ChecksAsText({starting, kPoor}),
              EndsWith("This host is not ready to start pods: 1 missing.\n"));
  EXPECT_THAT(ChecksAsText({starting, kGone}),
              EndsWith("This host is not ready to evict pods: 2 missing.\n"));
  const auto checks = ForAgentWithoutPods({starting, kFine});
  EXPECT_TRUE(IsReady(checks));
  EXPECT_EQ(checks[0].status, HostStatus::kDegraded);
  EXPECT_EQ(checks[0].cost,
            "no pod starts; this agent starts none, because staticPodPath is not set");
  EXPECT_FALSE(IsReady(ForAgentWithoutPods({kGone}))) << "it evicts all the same";
}

TEST(HostCheck, JsonHoldsEveryCheckAndTheVerdict) {
  EXPECT_EQ(ChecksAsJson({kPoor}),
            R"({"checks":[{"check":"swap","status":"degraded","found":"/dev/sda2","cost":"slow",)"
            R"("remedy":"swapoff -a"}],"ready":true})"
            "\n");
  EXPECT_THAT(ChecksAsJson({kGone}), HasSubstr(R"("ready":false)"));
}

}  // namespace
}  // namespace jettison
