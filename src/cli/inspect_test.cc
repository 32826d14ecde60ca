#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "cli/command_bed.h"
#include "codec/documents/json.h"
#include "codec/kubernetes/pod_reader.h"
#include "codec/kubernetes/pod_writer.h"
#include "kernel/files/testing/temporary_folder.h"

namespace jettison {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr const char* kWeb =
    R"({"metadata":{"name":"web","namespace":"shop","uid":"u1",)"
    R"("annotations":{"kubernetes.io/config.source":"file"}},)"
    R"("spec":{"priority":7,"tolerations":[{"operator":"Exists"}],"containers":[)"
    R"({"name":"c","resources":{"requests":{"memory":"100Mi","ephemeral-storage":"1Gi"}}}]}})";

class Inspect : public testing::Test {
 protected:
  // What the command makes of this text, on a node of 1000Mi unless the options say otherwise.
  CommandRun Run(const std::string& text, std::vector<std::string> options = {}) {
    std::ofstream(path_) << text;
    options.insert(options.begin(), {"inspect", path_});
    if (std::ranges::find(options, "--memory-capacity") == options.end()) {
      options.insert(options.end(), {"--memory-capacity", "1000Mi"});
    }
    return RunCommand(std::move(options));
  }
  // Its pods for programs.
  nlohmann::json Pods(const std::string& text, std::vector<std::string> options = {}) {
    options.insert(options.end(), {"--output", "json"});
    return nlohmann::json::parse(Run(text, std::move(options)).out);
  }
  // What it complains of, line by line, without the names of the program and of the file.
  std::vector<std::string> Complaints(const std::string& text,
                                      std::vector<std::string> options = {}) {
    const CommandRun run = Run(text, std::move(options));
    EXPECT_EQ(run.status, 2);
    std::vector<std::string> lines;
    std::istringstream complaints(run.complaint);
    for (std::string line; std::getline(complaints, line);) {
      const std::size_t named = line.find(path_ + ": ");
      lines.push_back(named == std::string::npos ? line : line.substr(named + path_.size() + 2));
    }
    return lines;
  }

  const kernel::TemporaryFolder folder_;
  const std::string path_ = folder_.path() + "/pods";
};

TEST_F(Inspect, AnswersInJson) {
  const CommandRun run = Run(kWeb, {"--output", "json"});
  EXPECT_EQ(run.status, 0);
  EXPECT_EQ(run.complaint, "");
  EXPECT_EQ(run.out,
            "[\n"
            R"({"namespace":"shop","name":"web","uid":"u1","qosClass":"Burstable","priority":7,)"
            R"("critical":true,"static":true,"mirror":false,"memoryRequest":"100Mi",)"
            R"("ephemeralStorageRequest":"1Gi","oomScoreAdj":{"c":900},)"
            R"("toleratesMemoryPressure":true})"
            "\n]\n");
  EXPECT_EQ(Run("[]", {"--output", "json"}).out, "[]\n");
}

TEST_F(Inspect, AnswersInATable) {
  EXPECT_EQ(Run(kWeb).out,
            "POD       QOS CLASS                              PRIORITY  PROTECTION        "
            "MEMORY REQUEST  STORAGE REQUEST  OOM SCORE ADJ\n"
            "shop/web  Burstable (tolerates memory pressure)  7         critical, static  "
            "100Mi           1Gi              c=900\n");
}

TEST_F(Inspect, ProtectsByPriorityAloneInTheStandaloneProfile) {
  const nlohmann::json pods = Pods(kWeb, {"--profile", "standalone"});
  ASSERT_EQ(pods.size(), 1U);
  EXPECT_EQ(pods[0]["critical"], false);
  EXPECT_EQ(pods[0]["static"], true);
}

TEST_F(Inspect, OfAManifestWhatTheProcessRuntimeRefusesIsAFault) {
  constexpr const char* kPod =
      "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\n"
      "spec: {securityContext: {runAsUser: 7}, containers: [{name: c, image: i}]}\n";
  EXPECT_THAT(Complaints(kPod, {"--manifest"}),
              ElementsAre(HasSubstr("pod default/a: the pod sets securityContext.runAsUser"),
                          HasSubstr("pod default/a: container c has no command")));
  EXPECT_EQ(Pods(kPod, {"--manifest"}).size(), 0U);
  EXPECT_EQ(Pods(kPod, {"--manifest", "--runtime", "cri"}).size(), 1U);
  EXPECT_EQ(Pods(kPod).size(), 1U) << "no manifest";
}

TEST_F(Inspect, TakesListsArraysLinesAndYaml) {
  const std::string pod = R"({"metadata":{"name":"a"}})";
  for (const std::string& text : {R"({"kind":"List","items":[)" + pod + "," + pod + "]}",
                                  "[" + pod + "," + pod + "]", pod + "\n\n" + pod + "\n",
                                  std::string("metadata: {name: a}\n---\nmetadata: {name: a}\n")}) {
    EXPECT_EQ(Run(text).complaint, "");
    EXPECT_EQ(Pods(text).size(), 2U) << text;
  }
}

TEST_F(Inspect, ShowsTheOthersWhereOnePodIsFaulty) {
  const std::string pods =
      R"([{"metadata":{"name":"a"}},{"metadata":{"name":"b"},"spec":{"priority":"x"}}])";
  ASSERT_EQ(Pods(pods).size(), 1U);
  EXPECT_EQ(Pods(pods)[0]["name"], "a");
  EXPECT_THAT(Complaints(pods),
              ElementsAre(HasSubstr("[1].spec.priority: \"x\": must be a whole number")));
}

TEST_F(Inspect, WhatHasNoNameIsNoPod) {
  for (const char* text : {"{}", R"({"name":"memory-1","steps":[]})", R"({"kind":"Pod"})"}) {
    EXPECT_THAT(Pods(text), IsEmpty());
    EXPECT_THAT(Complaints(text),
                ElementsAre("metadata.name: must be set: without a name this is no Pod"));
  }
}

TEST_F(Inspect, AManifestIsReadAsTheAgentReadsIt) {
  const std::string manifests =
      "apiVersion: v1\nkind: Pod\nmetadata: {name: web}\nspec:\n  containers:\n"
      "  - {name: c, image: i, command: [x], limits: {memory: 1Gi}}\n---\n"
      "apiVersion: v1\nkind: Pod\nmetadata: {name: Web}\nspec: {containers: [{name: c}]}\n";
  EXPECT_EQ(Pods(manifests, {"--manifest"}).size(), 1U);
  const std::vector<std::string> complaints = Complaints(manifests, {"--manifest"});
  EXPECT_THAT(complaints.front(), HasSubstr("metadata.name: \"Web\""));
  EXPECT_EQ(complaints.back(),
            "spec.containers[0].limits: not supported here, has no effect (line 6)");
}

// Each record of the vectors.
TEST_F(Inspect, EveryRecordAgreesWithTheKubelet) {
  std::ifstream file(std::string(JETTISON_VECTORS) + "/pods.ndjson");
  int records = 0;
  for (std::string line; std::getline(file, line); ++records) {
    SCOPED_TRACE(records + 1);
    const auto record = nlohmann::json::parse(line);
    const Value pod = ParseJson(record["pod"].dump()).value();
    const std::string text = WritePod(ReadPod(pod, {.form = PodForm::kApiObject}).pod);
    const nlohmann::json pods =
        Pods(text, {"--memory-capacity", record["memoryCapacity"].get<std::string>()});
    ASSERT_EQ(pods.size(), 1U);
    for (const char* field : {"qosClass", "critical", "static", "mirror", "memoryRequest",
                              "ephemeralStorageRequest", "toleratesMemoryPressure"}) {
      EXPECT_EQ(pods[0][field], record[field]) << field;
    }
    for (const auto& [container, score] : record["oomScoreAdj"].items()) {
      EXPECT_EQ(pods[0]["oomScoreAdj"][container], score);
    }
  }
  EXPECT_GE(records, 300);
}

}  // namespace
}  // namespace jettison
