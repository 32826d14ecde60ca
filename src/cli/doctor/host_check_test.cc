#include "cli/doctor/host_check.h"

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
  EXPECT_THAT(ChecksAsText({kGone, kPoor}), EndsWith("This host is not ready: 1 missing.\n"));
  EXPECT_THAT(ChecksAsText({kFine}), EndsWith("This host offers everything.\n"));
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
