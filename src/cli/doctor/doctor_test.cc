#include "cli/doctor/doctor.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "core/thresholds/threshold_settings.h"
#include "kernel/files/files.h"
#include "kernel/files/testing/temporary_folder.h"
#include "machine/cgroups/host_cgroups.h"

namespace jettison {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::EndsWith;
using testing::Field;
using testing::HasSubstr;

const HostCheck kFine{"kernel", HostStatus::kOk, "Linux 6.18", "", ""};
const HostCheck kPoor{"swap", HostStatus::kDegraded, "/dev/sda2", "slow", "swapoff -a"};
const HostCheck kGone{"memory controller", HostStatus::kMissing, "none", "no eviction", "mount it"};

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

TEST(HostCheck, WhatIsMissingOnlyForStartingPodsDoesNotMatterToAnAgentThatStartsNone) {
  AgentConfig config;
  const HostCheck lack = Missing("cgroup driver", "systemd", "no pod starts", "set it");
  const HostCheck check = MissingToStartPods(config, lack);
  EXPECT_EQ(check.status, HostStatus::kDegraded);
  EXPECT_EQ(check.cost, "no pod starts; this agent starts none, because staticPodPath is not set");
  config.static_pod_path = "/m";
  EXPECT_EQ(MissingToStartPods(config, lack).status, HostStatus::kMissing);
}

TEST(HostCheck, JsonHoldsEveryCheckAndTheVerdict) {
  EXPECT_EQ(ChecksAsJson({kPoor}),
            R"({"checks":[{"check":"swap","status":"degraded","found":"/dev/sda2","cost":"slow",)"
            R"("remedy":"swapoff -a"}],"ready":true})"
            "\n");
  EXPECT_THAT(ChecksAsJson({kGone}), HasSubstr(R"("ready":false)"));
}

// What a command line says on standard error.
std::string SaidTo(const std::string& arguments, int& status) {
  CLI::App app;
  AddDoctor(app, status);
  testing::internal::CaptureStdout();
  testing::internal::CaptureStderr();
  app.parse(arguments);
  (void)testing::internal::GetCapturedStdout();
  return testing::internal::GetCapturedStderr();
}

std::string WithConfig(const kernel::TemporaryFolder& folder, const std::string& more) {
  const std::string path = folder.path() + "/kubelet.yaml";
  EXPECT_TRUE(kernel::WriteFile(path,
                                "apiVersion: kubelet.config.k8s.io/v1beta1\n"
                                "kind: KubeletConfiguration\n" +
                                    more));
  return "doctor --config " + path + " --config-dir " + folder.path() + "/conf.d";
}

TEST(Doctor, TellsWhatMayHaveBeenMeantDifferentlyBeforeWhatIsFaulty) {
  const kernel::TemporaryFolder folder;
  int status = 0;
  const std::string said = SaidTo(
      WithConfig(folder, "evictionHrad: {memory.available: 1Gi}\nevictionSoft: 5\n"), status);
  EXPECT_EQ(status, 2);
  EXPECT_THAT(
      said,
      AllOf(
          HasSubstr("jettison: warning: " + folder.path() + "/conf.d: this folder does not exist"),
          HasSubstr("jettison: warning: " + folder.path() + "/kubelet.yaml: evictionHrad: "),
          HasSubstr("/kubelet.yaml: evictionSoft: ")));
}

TEST(LiveDoctorCommand, TellsWhatMayHaveBeenMeantDifferentlyAndChecksTheHost) {
  const kernel::TemporaryFolder folder;
  int status = -1;
  const std::string said =
      SaidTo(WithConfig(folder, "evictionHrad: {memory.available: 1Gi}\n"), status);
  EXPECT_THAT(status, testing::AnyOf(0, 1));
  EXPECT_THAT(said, AllOf(HasSubstr("/conf.d: this folder does not exist"),
                          HasSubstr("/kubelet.yaml: evictionHrad: ")));
}

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
  EXPECT_THAT(HostChecks(config), Contains(AllOf(Field(&HostCheck::check, "node cgroup"),
                                                 Field(&HostCheck::status, HostStatus::kMissing))));
}

TEST(DoctorNode, ImagesThatTheAgentDoesNotSeeAreADegradedLayout) {
  const HostCheck check = DiskLayoutCheck(AgentConfig{}, "/nonexistent/images", "");
  EXPECT_EQ(check.status, HostStatus::kDegraded);
  EXPECT_THAT(check.found, HasSubstr("/nonexistent/images"));
}

}  // namespace
}  // namespace jettison
