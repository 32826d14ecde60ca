#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <memory>
#include <vector>

#include "cli/doctor/doctor.h"
#include "core/thresholds/threshold_parsing.h"
#include "kernel/files/testing/temporary_folder.h"
#include "machine/cgroups/host_cgroups.h"

namespace jettison {
namespace {

using testing::Contains;
using testing::Field;
using testing::HasSubstr;

constexpr std::uint64_t kGi = 1 << 30;

class MinFree : public testing::Test {
 protected:
  MinFree() {
    config_.eviction.thresholds = {{.signal = Signal::kMemoryAvailable,
                                    .value = Quantity::Of(100 << 20),
                                    .min_reclaim = std::nullopt}};
  }
  HostCheck CheckOf(const std::string& text) {
    const std::string path = folder_.path() + "/min_free_kbytes";
    std::ofstream(path) << text;
    return MinFreeCheck(config_, kGi, path);
  }
  const kernel::TemporaryFolder folder_;
  AgentConfig config_;
};

TEST_F(MinFree, BelowTheHardThresholdIsAsItShouldBe) {
  const HostCheck check = CheckOf("67584\n");
  EXPECT_EQ(check.status, HostStatus::kOk);
  EXPECT_THAT(check.found, HasSubstr("66 MiB"));
}

TEST_F(MinFree, AboveItTheKernelIsShortFirst) {
  const HostCheck check = CheckOf("204800\n");
  EXPECT_EQ(check.status, HostStatus::kDegraded);
  EXPECT_THAT(check.remedy, HasSubstr("above 200 MiB"));
  config_.node_cgroup = "/slice";
  EXPECT_EQ(CheckOf("204800\n").status, HostStatus::kOk) << "a slice has its own limit";
}

TEST(DoctorThresholds, ThoseThatTheNodeCannotReachAreMissing) {
  AgentConfig config;
  config.eviction.thresholds =
      ParseThresholds({.hard = {{"memory.available", "900Ti"}, {"nodefs.inodesFree", "5000"}}})
          .thresholds;
  SignalCapacities capacities;
  EXPECT_FALSE(ThresholdsThatDoNotFit(config, capacities)) << "nothing is known";
  capacities[IndexOf(Signal::kMemoryAvailable)] = std::int64_t{1} << 30;
  capacities[IndexOf(Signal::kNodeFsInodesFree)] = 1000;
  const auto check = ThresholdsThatDoNotFit(config, capacities);
  ASSERT_TRUE(check);
  EXPECT_EQ(check->status, HostStatus::kMissing);
  EXPECT_THAT(check->found, HasSubstr("evictionHard[memory.available]: \"900Ti\""));
  EXPECT_THAT(check->found, HasSubstr("evictionHard[nodefs.inodesFree]: \"5k\""));
  capacities[IndexOf(Signal::kMemoryAvailable)] = std::int64_t{1} << 60;
  capacities[IndexOf(Signal::kNodeFsInodesFree)] = 100'000;
  EXPECT_FALSE(ThresholdsThatDoNotFit(config, capacities));
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

TEST_F(LiveDoctor, ANodeGroupThatDoesNotExistIsMissing) {
  AgentConfig config;
  config.node_cgroup = "/no-such-group";
  EXPECT_THAT(KernelChecks(config),
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
