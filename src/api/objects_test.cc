// The objects of the Kubernetes API that are answered: Node, EventList, PodList.

#include "api/kubernetes/objects.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <string_view>

#include "api/api.h"
#include "api/test_snapshot.h"
#include "codec/documents/json.h"
#include "codec/kubernetes/pod_reader.h"

namespace jettison {
namespace {

using std::chrono::seconds;

// The value at a path of members and indices: "status.conditions.0.type".
std::string At(const Value& document, std::string_view path) {
  const Value* value = &document;
  while (value != nullptr && !path.empty()) {
    const std::string_view part = path.substr(0, path.find('.'));
    path.remove_prefix(std::min(path.size(), part.size() + 1));
    if (const auto* list = value->AsList()) {
      const auto index = static_cast<std::size_t>(part.front() - '0');
      value = index < list->size() ? &(*list)[index] : nullptr;
    } else {
      value = value->Find(part);
    }
  }
  if (value == nullptr) return "absent";
  if (const auto* text = value->AsString()) return *text;
  if (const auto* number = value->AsNumber()) return number->text;
  if (const bool* flag = value->AsBool()) return *flag ? "true" : "false";
  return std::string(value->KindName());
}

Value Parsed(const std::string& json) {
  auto value = ParseJson(json);
  EXPECT_TRUE(value) << json;
  return value ? std::move(*value) : Value();
}

TEST(Node, TellsConditionsWithReasonsAndTimes) {
  Snapshot snapshot = TestSnapshot(0);
  snapshot.conditions.Set(NodeConditionType::kMemoryPressure);
  snapshot.condition_views[1] = {.type = NodeConditionType::kMemoryPressure,
                                 .status = true,
                                 .last_transition = kTestNow - seconds(7)};
  const Value node = Parsed(NodeJson(snapshot));
  EXPECT_EQ(At(node, "kind"), "Node");
  EXPECT_EQ(At(node, "metadata.name"), "node-1");
  EXPECT_EQ(At(node, "status.conditions.1.type"), "MemoryPressure");
  EXPECT_EQ(At(node, "status.conditions.1.status"), "True");
  EXPECT_EQ(At(node, "status.conditions.1.reason"), "KubeletHasInsufficientMemory");
  EXPECT_EQ(At(node, "status.conditions.1.lastHeartbeatTime"), FormatInstant(kTestNow));
  EXPECT_EQ(At(node, "status.conditions.1.lastTransitionTime"),
            FormatInstant(kTestNow - seconds(7)));
  EXPECT_EQ(At(node, "status.conditions.0.message"), "kubelet has no disk pressure");
  EXPECT_EQ(At(node, "status.conditions.4.type"), "Ready");
  EXPECT_EQ(At(node, "status.conditions.4.status"), "True");
  EXPECT_EQ(At(node, "spec.taints.0.key"), "node.kubernetes.io/memory-pressure");
  EXPECT_EQ(At(node, "spec.taints.0.effect"), "NoSchedule");
  EXPECT_EQ(At(node, "spec.taints.1.key"), "absent");
}

TEST(Node, TellsCapacityAndWhatIsLeftForPods) {
  Snapshot snapshot = TestSnapshot(0);
  auto identity = std::make_shared<NodeIdentity>(*snapshot.node);
  identity->config.reservation.system_reserved["memory"] = Quantity::Of(std::int64_t{4} << 30);
  snapshot.node = identity;
  const Value node = Parsed(NodeJson(snapshot));
  EXPECT_EQ(At(node, "status.capacity.memory"), "64Gi");
  EXPECT_EQ(At(node, "status.allocatable.memory"), "60Gi");
  EXPECT_EQ(At(node, "status.capacity.cpu"), "4");
  EXPECT_EQ(At(node, "status.capacity.ephemeral-storage"), "absent");
}

TEST(EventList, AnEventHasTheNumberOfItsEquals) {
  Snapshot snapshot = TestSnapshot(0);
  AddTestEvent(snapshot, "", "NodeHasDiskPressure", kTestNow - seconds(20));
  AddTestEvent(snapshot, "default/a", "BackOff", kTestNow - seconds(10));
  snapshot.events.back().times = 2;
  snapshot.events.back().first_at = kTestNow - seconds(30);
  AddTestEvent(snapshot, "default/b", "BackOff", kTestNow);
  const Value list = Parsed(EventListJson(snapshot));
  EXPECT_EQ(At(list, "kind"), "EventList");
  EXPECT_EQ(At(list, "items.0.involvedObject.kind"), "Node");
  EXPECT_EQ(At(list, "items.0.involvedObject.name"), "node-1");
  EXPECT_EQ(At(list, "items.1.involvedObject.namespace"), "default");
  EXPECT_EQ(At(list, "items.1.involvedObject.name"), "a");
  EXPECT_EQ(At(list, "items.1.count"), "2");
  EXPECT_EQ(At(list, "items.1.firstTimestamp"), FormatInstant(kTestNow - seconds(30)));
  EXPECT_EQ(At(list, "items.1.lastTimestamp"), FormatInstant(kTestNow - seconds(10)));
  EXPECT_EQ(At(list, "items.2.involvedObject.name"), "b");
  EXPECT_EQ(At(list, "items.2.count"), "1");
  EXPECT_EQ(At(list, "items.3.count"), "absent");
}

TEST(PodList, HoldsEverySpecificationAsItStands) {
  const Snapshot snapshot = TestSnapshot(25);
  std::size_t index = 0;
  ForEachPod(Parsed(PodListJson(snapshot)), {.file = "", .form = PodForm::kApiObject},
             [&](PodReading reading) {
               ASSERT_TRUE(reading.Ok()) << DescribeAll(reading.faults);
               reading.pod.status_qos_class = snapshot.pods[index].facts->pod.status_qos_class;
               EXPECT_EQ(reading.pod, snapshot.pods[index].facts->pod);
               ++index;
             });
  EXPECT_EQ(index, 25U);
}

TEST(PodList, TellsHowAPodStands) {
  Snapshot snapshot = TestSnapshot(1);
  PodStatus& status = snapshot.pods[0].status;
  status.phase = PodPhase::kFailed;
  status.reason = "Evicted";
  status.message = "The node was low on resource: memory. ";
  status.containers[0].last_state =
      ContainerExit{.exit_code = 137, .signal = 9, .oom_killed = true};
  status.containers[0].restart_count = 2;
  const Value list = Parsed(PodListJson(snapshot));
  EXPECT_EQ(At(list, "kind"), "PodList");
  EXPECT_EQ(At(list, "items.0.spec.nodeName"), "node-1");
  EXPECT_EQ(At(list, "items.0.status.phase"), "Failed");
  EXPECT_EQ(At(list, "items.0.status.reason"), "Evicted");
  EXPECT_EQ(At(list, "items.0.status.message"), status.message);
  EXPECT_EQ(At(list, "items.0.status.conditions.0.type"), "Ready");
  EXPECT_EQ(At(list, "items.0.status.startTime"), FormatInstant(*status.start_time));
  EXPECT_EQ(At(list, "items.0.status.qosClass"), "BestEffort");
  const std::string container = "items.0.status.containerStatuses.0.";
  EXPECT_EQ(At(list, container + "name"), "c0");
  EXPECT_EQ(At(list, container + "image"), "registry.example/app:1");
  EXPECT_EQ(At(list, container + "restartCount"), "2");
  EXPECT_EQ(At(list, container + "lastState.terminated.reason"), "OOMKilled");
  EXPECT_EQ(At(list, container + "state.running.startedAt"),
            FormatInstant(kTestNow - std::chrono::minutes(59)));
}

std::size_t PassesIn(std::string_view lines) {
  constexpr std::string_view kPass = "{\"pass\":";
  std::size_t count = 0;
  for (std::size_t at = 0; (at = lines.find(kPass, at)) != lines.npos; ++at) ++count;
  return count;
}

TEST(PodList, AndRecordedPassesTellNoValueOfAVariable) {
  Snapshot snapshot = TestSnapshot(1);
  PodFacts facts = *snapshot.pods[0].facts;
  facts.pod.containers[0].env = {{"PASSWORD", "hunter2"}};
  facts.pod.annotations["kubectl.kubernetes.io/last-applied-configuration"] = "hunter2";
  const auto shared = std::make_shared<const PodFacts>(std::move(facts));
  snapshot.pods[0].facts = shared;
  auto pass = std::make_shared<RecordedPass>();
  pass->number = 1;
  pass->policy = snapshot.policy;
  pass->report.at = snapshot.at;
  pass->pods = {shared};
  snapshot.cycles = {pass, pass};
  const std::string cycles = CyclesText(snapshot, 10);
  EXPECT_EQ(PassesIn(cycles), 2U);
  for (const std::string& text : {PodListJson(snapshot), cycles}) {
    EXPECT_EQ(text.find("hunter2"), std::string::npos) << text;
    EXPECT_NE(text.find("PASSWORD"), std::string::npos) << text;
  }
}

TEST(Cycles, AreNoMoreThanFitTheLastOneInAnyCase) {
  Snapshot snapshot = TestSnapshot(1);
  int pods = 0;
  const auto large_pod = [&] {
    PodFacts facts = *snapshot.pods[0].facts;
    facts.pod.uid = std::to_string(++pods);
    facts.pod.annotations["note"] = std::string(900'000, 'x');
    return std::make_shared<const PodFacts>(std::move(facts));
  };
  for (std::uint64_t number = 1; number <= 5; ++number) {
    auto pass = std::make_shared<RecordedPass>();
    pass->number = number;
    pass->policy = snapshot.policy;
    pass->report.at = snapshot.at;
    pass->pods = {large_pod()};
    if (number == 5) pass->pods = {large_pod(), large_pod(), large_pod()};
    snapshot.cycles.push_back(std::move(pass));
  }
  EXPECT_EQ(PassesIn(CyclesText(snapshot, 10)), 1U);
  snapshot.cycles.pop_back();
  const std::string text = CyclesText(snapshot, 10);
  EXPECT_EQ(PassesIn(text), 2U);
  EXPECT_LT(text.find(R"("number":"3")"), text.find(R"("number":"4")"));
  EXPECT_LT(text.size(), kMostCyclesBytes);
}

}  // namespace
}  // namespace jettison
