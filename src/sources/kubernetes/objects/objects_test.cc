#include <gmock/gmock.h>

#include <sstream>

#include "codec/documents/json.h"
#include "sources/kubernetes/objects/api_answers.h"
#include "sources/kubernetes/objects/api_objects.h"
#include "sources/kubernetes/objects/testing/test_answers.h"

namespace jettison::kube {
namespace {

using namespace testing;

std::vector<ApiPod> PodsOf(const std::string& page) {
  const ListPage list = ReadListPage(page).value();
  std::vector<ApiPod> pods;
  for (const Value& item : list.items()) pods.push_back(ReadApiPod(item).value());
  return pods;
}

TEST(ApiAnswers, APageThatWouldTakeTooMuchMemoryIsNotCalledNonsense) {
  std::string page = R"({"metadata": {"resourceVersion": "1"}, "items": [{"a": [1)";
  for (int i = 0; i < 1'000'000; ++i) page += ",1";
  EXPECT_EQ(ReadListPage(page + "]}]}").error().code, ErrorCode::kUnavailable);
  EXPECT_EQ(ReadListPage("{}").error().code, ErrorCode::kInvalidArgument);
}

TEST(ListPage, HasItemsAndSaysHowItGoesOn) {
  EXPECT_THAT(PodsOf(RecordedAnswer("pod_list.json")), SizeIs(5));
  const auto first = ReadListPage(RecordedAnswer("pod_list_page.json")).value();
  EXPECT_THAT(first.items(), SizeIs(2));
  EXPECT_EQ(first.resource_version, "354");
  EXPECT_THAT(first.continue_token, HasSubstr("eyJ2IjoibWV0YS5rOHMuaW8vdjEi"));
  EXPECT_EQ(ReadListPage(RecordedAnswer("pod_list.json"))->continue_token, "");
}

TEST(ListPage, AnythingElseIsAnError) {
  const std::string whole = RecordedAnswer("pod_list.json");
  for (const std::string& text : {std::string("[]"), std::string("<html>"),
                                  std::string(R"({"metadata":{"resourceVersion":"1"}})"),
                                  std::string(R"({"metadata":{},"items":[]})"),
                                  std::string(R"({"metadata":{"resourceVersion":"1"},"items":{}})"),
                                  whole.substr(0, whole.size() - 3)}) {
    EXPECT_FALSE(ReadListPage(text)) << text.substr(0, 80);
  }
}

// Anybody who may ask for a resize could make a pod seem to stay within its request otherwise.
TEST(ApiPod, HasWhatTheKubeletHasAllocatedWhileAResizeIsPending) {
  const auto request_of = [](const std::string& pending) {
    const auto document = ParseJson(
        R"({"metadata":{"name":"a","namespace":"b","uid":"u","resourceVersion":"1"},)"
        R"("spec":{"containers":[{"name":"c","resources":{"requests":{"memory":"1Ti"}}}]},)"
        R"("status":{"conditions":[{"type":"PodResizePending","status":")" +
        pending +
        R"(","reason":"Infeasible"}],"containerStatuses":[{"name":"c",)"
        R"("resources":{"requests":{"memory":"100Mi"},"limits":{"memory":"200Mi"}}},{"name":"x"}]}})");
    const auto pod = ReadApiPod(document.value());
    EXPECT_THAT(pod.value().faults, IsEmpty());
    return pod.value().pod.containers[0].resources.requests.at("memory").ToString();
  };
  EXPECT_EQ(request_of("True"), "100Mi");
  EXPECT_EQ(request_of("False"), "1Ti");
}

TEST(ApiPod, SaysWhoItIsWhereItIsAndWhatRunsInIt) {
  const auto pods = PodsOf(RecordedAnswer("pod_list.json"));
  ASSERT_THAT(pods, SizeIs(5));
  const ApiPod& job = pods[1];
  EXPECT_EQ(job.head, (ObjectHead{.namespace_ = "default",
                                  .name = "batch-never-jfv8s",
                                  .uid = "7c4fb8a5-498a-4c44-9732-c09dfcde093d",
                                  .resource_version = "336"}));
  EXPECT_EQ(job.pod.uid, job.head.uid);
  EXPECT_EQ(job.phase, "Succeeded");
  EXPECT_TRUE(job.IsTerminal());
  EXPECT_EQ(job.deleted, std::nullopt);
  EXPECT_EQ(job.controller_kind, "Job");
  EXPECT_EQ(job.pod.restart_policy, RestartPolicy::kNever);
  EXPECT_EQ(job.pod.status_qos_class, QosClass::kBestEffort);
  EXPECT_FALSE(job.IsMirror());
  ASSERT_THAT(job.containers, SizeIs(1));
  EXPECT_EQ(job.containers[0].id,
            "d423cb7482458b11141519d077347a87dd9a235710627d3797262cd58d87c958");
  const ApiPod& web = pods[3];
  EXPECT_EQ(web.controller_kind, "ReplicaSet");
  EXPECT_EQ(web.phase, "Running");
  EXPECT_EQ(web.pod.termination_grace_period_seconds, 5);
  for (const ApiPod& pod : pods) EXPECT_THAT(pod.faults, IsEmpty()) << pod.head.name;
}

Result<ApiPod> PodOf(std::string_view json) {
  return ReadApiPod(*ParseJson(json));
}

TEST(ApiPod, WhatIsNotUnderstoodIsAFaultAndWithoutAHeadItIsNone) {
  const auto pod = PodOf(R"({"metadata":{"name":"a","uid":"u","resourceVersion":"1",
    "deletionTimestamp":"yesterday"},"spec":{"priority":"high"},
    "status":{"containerStatuses":[{"name":"c","containerID":"d423"}]}})");
  ASSERT_TRUE(pod);
  const std::string faults = DescribeAll(pod->faults);
  EXPECT_THAT(pod->faults, SizeIs(3)) << faults;
  for (const char* key :
       {"metadata.deletionTimestamp", "spec.priority", "containerStatuses[0].containerID"}) {
    EXPECT_THAT(faults, HasSubstr(key));
  }
  for (const char* text :
       {"{}", "[]", R"({"metadata":{"name":"a"}})", R"({"metadata":{"name":"a","uid":"u"}})",
        R"({"metadata":{"uid":"u","resourceVersion":"1"}})", R"({"metadata":3})"}) {
    EXPECT_FALSE(PodOf(text)) << text;
  }
}

TEST(ApiNode, KeepsEachTaintWhole) {
  const auto node = ReadApiNode(RecordedAnswer("node_tainted.json"));
  ASSERT_TRUE(node) << node.error().message;
  EXPECT_EQ(node->head.name, "bed");
  EXPECT_EQ(node->head.resource_version, "355");
  EXPECT_EQ(node->kubelet_version, "v1.36.2");
  EXPECT_EQ(KubeletUrlOf(*node), "https://192.0.2.2:26446");
  EXPECT_THAT(node->conditions, SizeIs(4));
  ASSERT_THAT(node->taints, SizeIs(2));
  EXPECT_EQ(node->taints[0].json, R"({"key":"foreign","value":"x","effect":"NoSchedule"})");
  EXPECT_THAT(ReadApiNode(RecordedAnswer("node.json"))->taints, IsEmpty());
  EXPECT_FALSE(ReadApiNode("{}"));
  EXPECT_FALSE(ReadApiNode("no JSON"));
}

TEST(WatchLine, TellsWhatBecameOfWhat) {
  std::istringstream lines(RecordedAnswer("watch.ndjson"));
  std::vector<WatchKind> kinds;
  for (std::string line; std::getline(lines, line);) {
    const auto read = ReadWatchLine(line).value();
    kinds.push_back(read.kind);
    EXPECT_NE(read.object().AsMap(), nullptr);
  }
  EXPECT_EQ(kinds.front(), WatchKind::kModified);
  EXPECT_THAT(kinds, ::testing::Contains(WatchKind::kDeleted));
  EXPECT_THAT(std::vector(kinds.end() - 2, kinds.end()),
              ElementsAre(WatchKind::kBookmark, WatchKind::kError));
}

TEST(WatchLine, AnythingElseIsAnError) {
  for (const char* line :
       {"", "{", "[]", R"({"type":"ADDED"})", R"({"type":"ADDED","object":1})",
        R"({"type":"SYNC","object":{}})", R"({"object":{}})", R"({"type":3,"object":{}})"}) {
    EXPECT_FALSE(ReadWatchLine(line)) << line;
  }
}

}  // namespace
}  // namespace jettison::kube
