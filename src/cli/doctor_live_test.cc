#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <memory>
#include <vector>

#include "cli/doctor/doctor_checks.h"
#include "machine/cgroups/host_cgroups.h"

namespace jettison {
namespace {

using testing::Contains;
using testing::Field;
using testing::HasSubstr;
using testing::Not;

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
  std::vector<HostCheck> checks = KernelChecks(config);
  const std::vector<HostCheck> node = NodeChecks(config);
  checks.insert(checks.end(), node.begin(), node.end());
  for (const HostCheck& check : checks) {
    EXPECT_FALSE(check.found.empty()) << check.check;
    EXPECT_EQ(check.status == HostStatus::kOk, check.cost.empty()) << check.check;
    EXPECT_EQ(check.status == HostStatus::kOk, check.remedy.empty()) << check.check;
  }
}

TEST_F(LiveDoctor, AThresholdOnSwapWithoutSwapIsToldToHaveNoEffect) {
  AgentConfig config;
  config.eviction.thresholds = {{.signal = Signal::kSwapAvailable, .value = Percentage{0.1F}}};
  const auto checks = NodeChecks(config);
  const auto swap = std::ranges::find(checks, "swap", &HostCheck::check);
  ASSERT_NE(swap, checks.end());
  EXPECT_EQ(swap->status, HostStatus::kDegraded) << "with swap the node may get slow";
  if (swap->found == "off") {
    EXPECT_THAT(swap->cost, HasSubstr("swap.available"));
  }
}

TEST_F(LiveDoctor, NoGroupIsLeftBehind) {
  (void)KernelChecks(AgentConfig{});
  EXPECT_THAT(*cgroups_->Children(""), Not(Contains(HasSubstr("jettison-doctor"))));
}

TEST_F(LiveDoctor, ANodeGroupThatDoesNotExistIsMissing) {
  AgentConfig config;
  config.node_cgroup = "/no-such-group";
  EXPECT_THAT(KernelChecks(config),
              Contains(testing::AllOf(Field(&HostCheck::check, "node cgroup"),
                                      Field(&HostCheck::status, HostStatus::kMissing))));
}

TEST(DoctorNode, ADiskLayoutIsToldForARootThatIsNotThereYet) {
  AgentConfig config;
  config.root = "/nonexistent/root";
  const HostCheck check = DiskLayoutCheck(config, "", "");
  EXPECT_EQ(check.status, HostStatus::kOk);
  EXPECT_EQ(check.found, "one file system holds everything");
  EXPECT_THAT(DiskLayoutCheck(config, "/proc", "").found, HasSubstr("of their own"));
}

TEST(DoctorNode, ImagesThatTheAgentDoesNotSeeAreADegradedLayout) {
  const HostCheck check = DiskLayoutCheck(AgentConfig{}, "/nonexistent/images", "");
  EXPECT_EQ(check.status, HostStatus::kDegraded);
  EXPECT_THAT(check.found, HasSubstr("/nonexistent/images"));
}

}  // namespace
}  // namespace jettison
