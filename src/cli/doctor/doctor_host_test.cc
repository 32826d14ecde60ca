#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <memory>
#include <vector>

#include "cli/doctor/doctor.h"
#include "core/thresholds/threshold_settings.h"
#include "machine/cgroups/host_cgroups.h"

namespace jettison {
namespace {

using testing::Contains;
using testing::Field;
using testing::HasSubstr;

TEST(DoctorKernel, SaysWhichCallsAreMissingForPodsOfTheAgentsOwn) {
  AgentConfig config;
  EXPECT_EQ(KernelCheck(config, false).status, HostStatus::kDegraded) << "it starts none";
  config.static_pod_path = "/m";
  const HostCheck before_5_12 = KernelCheck(config, false);
  EXPECT_EQ(before_5_12.status, HostStatus::kMissing);
  EXPECT_THAT(before_5_12.found, testing::EndsWith("without mount_setattr(2)"));
  EXPECT_EQ(before_5_12.remedy, "use Linux 5.12 or later");
  EXPECT_EQ(KernelCheck(config, true).status, HostStatus::kOk);
}

class LiveDoctor : public testing::Test {
 protected:
  void SetUp() override {
    if (::geteuid() != 0) GTEST_SKIP() << "making control groups needs root";
    auto opened = OpenHostCgroups({});
    if (!opened) GTEST_SKIP() << opened.error().message;
    cgroups_ = std::move(*opened);
  }
  std::unique_ptr<Cgroups> cgroups_;
};

TEST_F(LiveDoctor, EverythingThatIsNotOkSaysWhatItCostsAndHowToMendIt) {
  const AgentConfig config;
  for (const HostCheck& check : HostChecks(config)) {
    EXPECT_FALSE(check.found.empty()) << check.check;
    EXPECT_EQ(check.status == HostStatus::kOk, check.cost.empty()) << check.check;
    EXPECT_EQ(check.status == HostStatus::kOk, check.remedy.empty()) << check.check;
  }
}

TEST_F(LiveDoctor, AThresholdThatTheNodeCannotReachIsMissing) {
  AgentConfig config;
  const auto unfit = [&](const char* memory) {
    config.eviction.thresholds =
        ParseThresholds({.hard = {{"memory.available", memory}}}).thresholds;
    const auto checks = HostChecks(config);
    const auto found = std::ranges::find(checks, "thresholds", &HostCheck::check);
    return found == checks.end() ? HostCheck{} : *found;
  };
  EXPECT_EQ(unfit("900Ti").status, HostStatus::kMissing);
  EXPECT_THAT(unfit("900Ti").found, HasSubstr("evictionHard[memory.available]: \"900Ti\""));
  EXPECT_EQ(unfit("1Mi").found, "") << "it has no row";
}

TEST_F(LiveDoctor, AThresholdOnSwapWithoutSwapIsToldToHaveNoEffect) {
  AgentConfig config;
  config.eviction.thresholds = {{.signal = Signal::kSwapAvailable, .value = Percentage{0.1F}}};
  const auto checks = HostChecks(config);
  const auto swap = std::ranges::find(checks, "swap", &HostCheck::check);
  ASSERT_NE(swap, checks.end());
  EXPECT_EQ(swap->status, HostStatus::kDegraded) << "with swap the node may get slow";
  if (swap->found == "off") {
    EXPECT_THAT(swap->cost, HasSubstr("swap.available"));
  }
}

TEST_F(LiveDoctor, ANodeGroupThatDoesNotExistIsMissing) {
  AgentConfig config;
  config.node_cgroup = "/no-such-group";
  EXPECT_THAT(HostChecks(config),
              Contains(testing::AllOf(Field(&HostCheck::check, "node cgroup"),
                                      Field(&HostCheck::status, HostStatus::kMissing))));
}

TEST(DoctorNode, ImagesThatTheAgentDoesNotSeeAreADegradedLayout) {
  const HostCheck check = DiskLayoutCheck(AgentConfig{}, "/nonexistent/images", "");
  EXPECT_EQ(check.status, HostStatus::kDegraded);
  EXPECT_THAT(check.found, HasSubstr("/nonexistent/images"));
}

}  // namespace
}  // namespace jettison
