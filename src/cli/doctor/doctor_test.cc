#include "cli/doctor/doctor.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <CLI/CLI.hpp>
#include <string>

#include "kernel/files/files.h"
#include "kernel/files/testing/temporary_folder.h"

namespace jettison {
namespace {

using testing::EndsWith;
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

using testing::AllOf;
using testing::HasSubstr;

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

}  // namespace
}  // namespace jettison
