#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/ask/config_files.h"
#include "cli/command_bed.h"
#include "kernel/files/testing/temporary_folder.h"
#include "ports/file_descriptor.h"

namespace jettison {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class CheckConfig : public testing::Test {
 protected:
  [[nodiscard]] std::string Write(const std::string& text) const {
    std::ofstream(folder_ / "config.yaml") << text;
    return folder_ / "config.yaml";
  }
  [[nodiscard]] std::string Kubelet(const std::string& text) const {
    return Write("apiVersion: kubelet.config.k8s.io/v1beta1\nkind: KubeletConfiguration\n" + text);
  }
  // The exit status of `check-config` with these arguments, what it prints in `printed_`.
  int Run(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), "check-config");
    const CommandRun run = RunCommand(std::move(arguments));
    printed_ = run.out + run.complaint;
    return run.status;
  }

  const kernel::TemporaryFolder temporary_;
  const std::filesystem::path folder_ = temporary_.path();
  std::string printed_;
};

TEST_F(CheckConfig, WhatThisHostAlwaysMeetsIsAWarningWhereItIsAskedFor) {
  const std::string file = Kubelet(
      "evictionHard: {memory.available: 1Ei, nodefs.available: 5%}\n"
      "evictionMinimumReclaim: {nodefs.available: 99%}\n");
  EXPECT_EQ(Run({file}), 0);
  EXPECT_THAT(printed_, Not(HasSubstr("warning")));
  EXPECT_EQ(Run({file, "--on-this-host"}), 0);
  EXPECT_THAT(printed_,
              HasSubstr("warning: evictionHard[memory.available]: \"1Ei\": is not below"));
  EXPECT_THAT(printed_, HasSubstr("warning: evictionMinimumReclaim[nodefs.available]: \"99%\""));
}

TEST_F(CheckConfig, PrintsThePolicyAsTheKubeletParsesIt) {
  const std::string file = Kubelet(
      "evictionHard: {memory.available: 1.5Gi}\nevictionSoft: {nodefs.available: 33.333%}\n"
      "evictionSoftGracePeriod: {nodefs.available: 90s}\nevictionMaxPodGracePeriod: 60\n"
      "evictionMinimumReclaim: {nodefs.available: 5%, memory.available: '1e3'}\n"
      "evictionPressureTransitionPeriod: 30s\nenforceNodeAllocatable: [none]\n");
  EXPECT_EQ(Run({file, "--output", "json"}), 0);
  auto answer = nlohmann::json::parse(printed_);
  answer.erase("kubeletconfig");
  answer.erase("jettisonconfig");
  EXPECT_EQ(answer, nlohmann::json::parse(R"({
    "thresholds": [
      {"signal": "memory.available", "operator": "LessThan", "quantity": "1536Mi",
       "gracePeriod": "0s", "minReclaimQuantity": "1e3"},
      {"signal": "nodefs.available", "operator": "LessThan", "percentage": 0.33333,
       "gracePeriod": "1m30s", "minReclaimPercentage": 0.05}],
    "pressureTransitionPeriod": "30s", "maxPodGracePeriodSeconds": 60,
    "warnings": [], "faults": []})"));
}

TEST_F(CheckConfig, ProgramsHaveTheWholeConfigurationInItsOwnFields) {
  const std::string file = Kubelet(
      "localStorageCapacityIsolation: false\nkubeReserved: {memory: 1Gi}\n"
      "enforceNodeAllocatable: [none]\n"
      "---\napiVersion: jettison.io/v1alpha1\nkind: JettisonConfiguration\n"
      "dryRun: true\nmonitoringInterval: 5s\n");
  EXPECT_EQ(Run({file, "--output", "json"}), 0) << printed_;
  auto answer = nlohmann::json::parse(printed_);
  auto& theirs = answer["kubeletconfig"];
  EXPECT_EQ(theirs["localStorageCapacityIsolation"], false);
  EXPECT_EQ(theirs["kubeReserved"], nlohmann::json::parse(R"({"memory": "1Gi"})"));
  auto& ours = answer["jettisonconfig"];
  EXPECT_EQ(ours["source"], "manifests");
  EXPECT_EQ(ours["monitoringInterval"], "5s");
  EXPECT_EQ(ours["dryRun"], true);
}

TEST_F(CheckConfig, FaultsGiveStatusTwoAndNoThresholds) {
  const std::string file = Kubelet("evictionHard: {memory.available: -1, pid.available: '10'}\n");
  EXPECT_EQ(Run({file, "--output", "json"}), 2);
  const auto answer = nlohmann::json::parse(printed_);
  EXPECT_TRUE(answer["thresholds"].empty());
  EXPECT_FALSE(answer.contains("kubeletconfig"));
  EXPECT_FALSE(answer.contains("jettisonconfig"));
  ASSERT_EQ(answer["faults"].size(), 1U);
  EXPECT_EQ(answer["faults"][0]["file"], file);
  EXPECT_EQ(answer["faults"][0]["key"], "evictionHard[memory.available]");
  EXPECT_EQ(answer["faults"][0]["value"], "-1");
}

TEST_F(CheckConfig, ThePolicyIsShownToPeopleWithPercentages) {
  EXPECT_EQ(Run({Kubelet("maxPods: 5\n")}), 0);
  EXPECT_THAT(printed_, HasSubstr("memory.available             < 100Mi    hard   -\n"));
  EXPECT_THAT(printed_, HasSubstr("nodefs.inodesFree            < 5%       hard   -\n"));
  EXPECT_THAT(printed_, HasSubstr("warning: "));
}

TEST_F(CheckConfig, SaysWherePodsComeFromAndWhereItAnswers) {
  const std::string foreign = "foreign pods on unix:///run/containerd/containerd.sock ";
  const std::array<std::array<std::string, 3>, 5> rows = {{
      {"", "runtime: cri\nadopt: evict\n", foreign + "(adopt: evict)"},
      {"", "runtime: cri\nadopt: none\n", "nowhere: staticPodPath is not set"},
      {"", "", "nowhere: staticPodPath is not set"},
      {"/m", "http: {address: '127.0.0.1:1'}\n", "/m"},
      {"/m", "runtime: cri\nadopt: observe\n", "/m, and " + foreign + "(adopt: observe)"},
  }};
  for (const auto& [manifests, ours, from] : rows) {
    const std::string file =
        Kubelet("enforceNodeAllocatable: [none]\n" +
                (manifests.empty() ? "" : "staticPodPath: " + manifests + "\n") +
                "---\napiVersion: jettison.io/v1alpha1\nkind: JettisonConfiguration\n" + ours);
    EXPECT_EQ(Run({file}), 0) << printed_;
    EXPECT_THAT(printed_, HasSubstr("\npods from     " + from + "\n"));
    EXPECT_EQ(printed_.find("127.0.0.1:1") != printed_.npos, ours.starts_with("http"));
  }
}

TEST_F(CheckConfig, PressureIsToldAsTheShareThatIsTooMuch) {
  const std::string file = Write(
      "apiVersion: jettison.io/v1alpha1\nkind: JettisonConfiguration\n"
      "pressureHard: {memory.pressure.full.avg10: 12.5%}\n"
      "pressureSoft: {io.pressure.some.avg60: 100%}\n"
      "pressureSoftGracePeriod: {io.pressure.some.avg60: 90s}\n");
  EXPECT_EQ(Run({file}), 0);
  EXPECT_THAT(printed_, testing::ContainsRegex("\nmemory.pressure.full.avg10 +> 12.5% +hard "));
  EXPECT_THAT(printed_, testing::ContainsRegex("\nio.pressure.some.avg60 +> 100% +1m30s "));
  EXPECT_THAT(printed_, HasSubstr("warning: " + file + ": pressureSoft[io.pressure.some.avg60]"));
  EXPECT_EQ(Run({file, "--output", "json"}), 0);
  const auto thresholds = nlohmann::json::parse(printed_)["thresholds"];
  EXPECT_EQ(thresholds[6], nlohmann::json::parse(R"({
    "signal": "memory.pressure.full.avg10", "operator": "GreaterThan", "percentage": 0.125,
    "gracePeriod": "0s"})"));
}

// Our document beside a kubelet's file.
class CheckConfigBesideKubelet : public CheckConfig {
 protected:
  std::string Ours(const std::string& theirs, const std::string& ours = "",
                   const std::string& kubernetes = "") {
    const std::string path = folder_ / "theirs.yaml";
    std::ofstream(path) << "kind: KubeletConfiguration\n" << theirs;
    std::string text =
        "apiVersion: jettison.io/v1alpha1\nkind: JettisonConfiguration\nsource: kubernetes\n"
        "kubernetes: {kubeletConfiguration: " +
        path + kubernetes + "}\n";
    if (!ours.empty()) {
      text += "---\napiVersion: kubelet.config.k8s.io/v1beta1\nkind: KubeletConfiguration\n" + ours;
    }
    return Write(text);
  }
};

TEST_F(CheckConfigBesideKubelet, OursStandBesideTheKubelets) {
  const std::string file = Ours(
      "evictionHard: {memory.available: 100Mi, pid.available: 5%}\n"
      "enforceNodeAllocatable: [none]\n",
      "evictionHard: {memory.available: 1Gi, nodefs.available: 7%}\n");
  EXPECT_EQ(Run({file}), 0) << printed_;
  for (const char* row :
       {"SIGNAL +THRESHOLD +GRACE +MINIMUM RECLAIM\nmemory.available +< 1Gi +hard +-\n",
        "nodefs.available +< 7% +hard +-\n",
        "\n\nSIGNAL +KUBELET'S +GRACE +MINIMUM RECLAIM\nmemory.available +< 100Mi +hard +-\n",
        "pid.available +< 5% +hard +-\n"}) {
    EXPECT_THAT(printed_, testing::ContainsRegex(row));
  }
  EXPECT_THAT(printed_, HasSubstr("pods from     the kubelet of this node"));
  EXPECT_EQ(Run({file, "--output", "json"}), 0);
  auto answer = nlohmann::json::parse(printed_);
  EXPECT_EQ(answer["jettisonconfig"]["source"], "kubernetes");
  EXPECT_EQ(answer["jettisonconfig"]["kubernetes"]["kubeletConfiguration"],
            (folder_ / "theirs.yaml").string());
  EXPECT_EQ(answer["kubeletThresholds"][0], nlohmann::json::parse(R"({
    "signal": "memory.available", "operator": "LessThan", "quantity": "100Mi",
    "gracePeriod": "0s"})"));
}

TEST_F(CheckConfigBesideKubelet, AThresholdThatDoesNotLieAboveIsAFault) {
  const std::string file = Ours("", "evictionHard: {memory.available: 50Mi}\n");
  EXPECT_EQ(Run({file}), 2);
  EXPECT_THAT(printed_, HasSubstr("fault: " + file +
                                  ": evictionHard[memory.available]: \"50Mi\": must be more than "
                                  "100Mi, which is the kubelet's"));
  EXPECT_EQ(Run({file, "--output", "json"}), 2);
  const auto answer = nlohmann::json::parse(printed_);
  EXPECT_TRUE(answer["thresholds"].empty());
  EXPECT_EQ(answer["faults"][0]["key"], "evictionHard[memory.available]");
}

TEST_F(CheckConfig, AFileThatCannotBeReadGivesStatusOne) {
  EXPECT_EQ(Run({folder_ / "nowhere.yaml"}), 1);
  EXPECT_THAT(printed_, HasSubstr("nowhere.yaml: cannot be read: No such file or directory"));
  EXPECT_EQ(Run({folder_}), 1);
  EXPECT_EQ(Run({"/dev/zero"}), 1);
}

// As `check-config <(...)` and `check-config /dev/stdin` do.
TEST_F(CheckConfig, APipeIsReadOnce) {
  std::array<int, 2> ends{};
  ASSERT_EQ(::pipe2(ends.data(), O_CLOEXEC), 0);
  const FileDescriptor reader(ends[0]);
  FileDescriptor writer(ends[1]);
  constexpr std::string_view kText =
      "apiVersion: kubelet.config.k8s.io/v1beta1\nkind: KubeletConfiguration\nevictionHard: {x: "
      "y}\n";
  ASSERT_EQ(::write(writer.get(), kText.data(), kText.size()), kText.size());
  writer.Close();
  EXPECT_EQ(Run({"/dev/fd/" + std::to_string(reader.get())}), 2);
  EXPECT_THAT(printed_, HasSubstr("evictionHard[x]"));
}

TEST_F(CheckConfig, SaysWhatHoldsFromWhichDropIn) {
  const std::string file = Kubelet("evictionHard: {memory.available: 1Gi}\n");
  const std::filesystem::path drop_ins = folder_ / "conf.d";
  std::filesystem::create_directory(drop_ins);
  std::ofstream(drop_ins / "10-more.yaml")
      << "apiVersion: kubelet.config.k8s.io/v1beta1\nkind: KubeletConfiguration\n"
         "evictionHard: {memory.available: 2Gi}\n";
  EXPECT_EQ(Run({file, "--config-dir", drop_ins}), 0);
  EXPECT_THAT(printed_, testing::ContainsRegex("memory.available +< 2Gi"));
  EXPECT_THAT(printed_, HasSubstr("\nDROP-IN: FIELDS IN FORCE FROM IT\n" + drop_ins.string() +
                                  "/10-more.yaml: evictionHard[memory.available]\n"));
  EXPECT_EQ(Run({file, "--config-dir", drop_ins, "--output", "json"}), 0);
  const auto json = nlohmann::json::parse(printed_);
  EXPECT_EQ(json["dropIns"][0]["file"], drop_ins.string() + "/10-more.yaml");
  EXPECT_EQ(json["dropIns"][0]["fields"][0], "evictionHard[memory.available]");
  std::ofstream(drop_ins / "20-bad.yaml")
      << "apiVersion: jettison.io/v1alpha1\nkind: JettisonConfiguration\nprofile: none\n";
  EXPECT_EQ(Run({file, "--config-dir", drop_ins}), 2);
  EXPECT_THAT(printed_, HasSubstr("fault: " + drop_ins.string() + "/20-bad.yaml: profile"));
}

}  // namespace
}  // namespace jettison
