#include "cli/inspect.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "codec/documents/json.h"
#include "codec/kubernetes/pod_reader.h"
#include "codec/kubernetes/pod_writer.h"

namespace jettison {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

const InspectedNode kNode = {.memory_capacity_bytes = 1000U << 20U, .profile = Profile::kKubelet};

constexpr const char* kWeb =
    R"({"metadata":{"name":"web","namespace":"shop","uid":"u1",)"
    R"("annotations":{"kubernetes.io/config.source":"file"}},)"
    R"("spec":{"priority":7,"tolerations":[{"operator":"Exists"}],"containers":[)"
    R"({"name":"c","resources":{"requests":{"memory":"100Mi","ephemeral-storage":"1Gi"}}}]}})";

std::vector<std::string> FaultsOf(const InspectReport& report) {
  std::vector<std::string> lines;
  for (const Fault& fault : report.faults) lines.push_back(Describe(fault));
  return lines;
}

TEST(Inspect, AnswersInJson) {
  const InspectReport report = InspectPods(kWeb, "pods.json", kNode);
  EXPECT_THAT(report.faults, IsEmpty());
  EXPECT_EQ(AsJson(report.pods),
            "[\n"
            R"({"namespace":"shop","name":"web","uid":"u1","qosClass":"Burstable","priority":7,)"
            R"("critical":true,"static":true,"mirror":false,"memoryRequest":"100Mi",)"
            R"("ephemeralStorageRequest":"1Gi","oomScoreAdj":{"c":900},)"
            R"("toleratesMemoryPressure":true})"
            "\n]\n");
  EXPECT_EQ(AsJson({}), "[]\n");
}

TEST(Inspect, AnswersInATable) {
  const InspectReport report = InspectPods(kWeb, "pods.json", kNode);
  EXPECT_EQ(AsTable(report.pods),
            "POD       QOS CLASS                              PRIORITY  PROTECTION        "
            "MEMORY REQUEST  STORAGE REQUEST  OOM SCORE ADJ\n"
            "shop/web  Burstable (tolerates memory pressure)  7         critical, static  "
            "100Mi           1Gi              c=900\n");
}

TEST(Inspect, AnInputWithoutADocumentIsEmptyAndAListWithoutPodsIsNot) {
  for (const char* text : {"", "\n", "# no pod\n"}) {
    EXPECT_TRUE(InspectPods(text, "pods.json", kNode).is_empty) << text;
  }
  for (const char* text : {R"({"kind":"List","apiVersion":"v1","items":[]})", "[]", kWeb, "{"}) {
    EXPECT_FALSE(InspectPods(text, "pods.json", kNode).is_empty) << text;
  }
}

TEST(Inspect, ANameSteersNoTerminal) {
  const InspectReport report =
      InspectPods(R"({"metadata":{"name":"a\u001b[2J\nb"}})", "pods.json", kNode);
  EXPECT_THAT(AsTable(report.pods), HasSubstr("\ndefault/a [2J b  BestEffort"));
  EXPECT_THAT(AsJson(report.pods), HasSubstr(R"("name":"a\u001b[2J\nb")"));
}

TEST(Inspect, ProtectsByPriorityAloneInTheStandaloneProfile) {
  const InspectedNode node = {.memory_capacity_bytes = 1, .profile = Profile::kStandalone};
  const InspectReport report = InspectPods(kWeb, "", node);
  ASSERT_THAT(report.pods, SizeIs(1));
  EXPECT_FALSE(report.pods[0].critical);
  EXPECT_TRUE(report.pods[0].is_static);
}

TEST(Inspect, OfAManifestWhatTheProcessRuntimeRefusesIsAFault) {
  constexpr const char* kPod =
      "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\n"
      "spec: {securityContext: {runAsUser: 7}, containers: [{name: c, image: i}]}\n";
  InspectedNode node = kNode;
  const InspectReport report = InspectPods(kPod, "a.yaml", node, PodForm::kManifest);
  EXPECT_THAT(report.pods, IsEmpty());
  EXPECT_THAT(
      FaultsOf(report),
      ElementsAre(HasSubstr("a.yaml: pod default/a: the pod sets securityContext.runAsUser"),
                  HasSubstr("a.yaml: pod default/a: container c has no command")));
  node.runtime = RuntimeKind::kCri;
  EXPECT_THAT(InspectPods(kPod, "a.yaml", node, PodForm::kManifest).pods, SizeIs(1));
  EXPECT_THAT(InspectPods(kPod, "a.yaml", kNode).pods, SizeIs(1)) << "no manifest";
}

TEST(Inspect, TakesListsArraysLinesAndYaml) {
  const std::string pod = R"({"metadata":{"name":"a"}})";
  for (const std::string& text : {R"({"kind":"List","items":[)" + pod + "," + pod + "]}",
                                  "[" + pod + "," + pod + "]", pod + "\n\n" + pod + "\n",
                                  std::string("metadata: {name: a}\n---\nmetadata: {name: a}\n")}) {
    const InspectReport report = InspectPods(text, "", kNode);
    EXPECT_THAT(report.faults, IsEmpty());
    EXPECT_THAT(report.pods, SizeIs(2)) << text;
  }
  EXPECT_THAT(InspectPods("", "", kNode).pods, IsEmpty());
}

TEST(Inspect, ShowsTheOthersWhereOnePodIsFaulty) {
  const InspectReport report = InspectPods(
      R"([{"metadata":{"name":"a"}},{"metadata":{"name":"b"},"spec":{"priority":"x"}}])", "p.json",
      kNode);
  ASSERT_THAT(report.pods, SizeIs(1));
  EXPECT_EQ(report.pods[0].name, "a");
  EXPECT_THAT(FaultsOf(report),
              ElementsAre(HasSubstr("p.json: [1].spec.priority: \"x\": must be a whole number")));
}

TEST(Inspect, ShowsTheOthersWhereOneLineIsNoJson) {
  const InspectReport report = InspectPods(
      "{\"metadata\":{\"name\":\"a\"}}\n{\"metadata\":\n"
      "{\"metadata\":{\"name\":\"b\"}}\n",
      "p", kNode);
  EXPECT_THAT(report.pods, SizeIs(2));
  EXPECT_THAT(FaultsOf(report), ElementsAre(HasSubstr("p: line 2")));
}

TEST(Inspect, WhatHasNoNameIsNoPod) {
  for (const char* text : {"{}", R"({"name":"memory-1","steps":[]})", R"({"kind":"Pod"})"}) {
    const InspectReport report = InspectPods(text, "p", kNode);
    EXPECT_THAT(report.pods, IsEmpty());
    EXPECT_THAT(FaultsOf(report),
                ElementsAre("p: metadata.name: must be set: without a name this is no Pod"));
  }
}

TEST(Inspect, NoAmountIsNegative) {
  const InspectReport report = InspectPods(
      R"({"metadata":{"name":"a"},"spec":{"overhead":{"cpu":"-1"},"containers":[)"
      R"({"name":"c","resources":{"requests":{"memory":"-5Mi"},"limits":{"memory":"0"}}}]}})",
      "p", kNode);
  EXPECT_THAT(report.pods, IsEmpty());
  EXPECT_THAT(FaultsOf(report),
              ElementsAre("p: spec.containers[0].resources.requests[memory]: \"-5Mi\": must not be "
                          "negative (pod default/a)",
                          "p: spec.overhead[cpu]: \"-1\": must not be negative (pod default/a)"));
}

TEST(Inspect, SaysOnceThatATextIsNeitherJsonNorYaml) {
  const InspectReport report = InspectPods("{\n\"metadata\": [\n}\n", "p", kNode);
  EXPECT_THAT(report.pods, IsEmpty());
  EXPECT_THAT(FaultsOf(report), ElementsAre(HasSubstr("p: line ")));
}

// Each record of the vectors, through the JSON that the command prints.
TEST(InspectConformance, EveryRecordAgreesWithTheKubelet) {
  std::ifstream file(std::string(JETTISON_VECTORS) + "/pods.ndjson");
  const auto text_of = [](const Value* value) {
    return value->AsString() != nullptr ? *value->AsString()
           : value->AsBool() != nullptr ? (*value->AsBool() ? "true" : "false")
                                        : value->AsNumber()->text;
  };
  int records = 0;
  for (std::string line; std::getline(file, line); ++records) {
    SCOPED_TRACE(records + 1);
    const Value record = ParseJson(line).value();
    const std::string text =
        WritePod(ReadPod(*record.Find("pod"), {.file = "", .form = PodForm::kApiObject}).pod);
    const InspectedNode node = {
        .memory_capacity_bytes = std::stoull(text_of(record.Find("memoryCapacity"))),
        .profile = Profile::kKubelet};
    const Value answer = ParseJson(AsJson(InspectPods(text, "", node).pods)).value();
    ASSERT_THAT(*answer.AsList(), SizeIs(1));
    const Value& report = answer.AsList()->front();
    for (const char* field : {"qosClass", "critical", "static", "mirror", "memoryRequest",
                              "ephemeralStorageRequest", "toleratesMemoryPressure"}) {
      EXPECT_EQ(text_of(report.Find(field)), text_of(record.Find(field))) << field;
    }
    for (const auto& [container, score] : *record.Find("oomScoreAdj")->AsMap()) {
      EXPECT_EQ(text_of(report.Find("oomScoreAdj")->Find(container)), text_of(&score));
    }
  }
  EXPECT_GE(records, 300);
}

TEST(InspectPods, AManifestIsReadAsTheAgentReadsIt) {
  const InspectReport report = InspectPods(
      "apiVersion: v1\nkind: Pod\nmetadata: {name: web}\nspec:\n  containers:\n"
      "  - {name: c, image: i, command: [x], limits: {memory: 1Gi}}\n---\n"
      "apiVersion: v1\nkind: Pod\nmetadata: {name: Web}\nspec: {containers: [{name: c}]}\n",
      "web.yaml", kNode, PodForm::kManifest);
  ASSERT_THAT(report.pods, testing::SizeIs(1));
  EXPECT_THAT(report.warnings,
              testing::ElementsAre("web.yaml: spec.containers[0].limits: not supported here, has "
                                   "no effect (line 6)"));
  ASSERT_FALSE(report.faults.empty());
  EXPECT_EQ(report.faults[0].key, "metadata.name");
}

}  // namespace
}  // namespace jettison
