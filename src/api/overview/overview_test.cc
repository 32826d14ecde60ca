#include "api/overview/overview.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/api.h"

namespace jettison {
namespace {

using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::SizeIs;

constexpr std::int64_t kMiB = std::int64_t{1} << 20;

Instant At(int second) {
  return Instant(seconds(1'000'000 + second));
}

ThresholdView View(Signal signal, ThresholdValue value, std::int64_t available,
                   std::int64_t capacity) {
  return {.threshold = {.signal = signal, .value = std::move(value)},
          .observation = Observation{.available = available, .capacity = capacity}};
}

// A pod with its figures; it goes into the snapshot's summary, too.
void AddPod(const std::string& name, std::int32_t priority, std::uint64_t memory_mib,
            Snapshot& snapshot) {
  auto facts = std::make_shared<PodFacts>();
  facts->priority = priority;
  facts->pod.name = name;
  facts->pod.uid = name + "-uid";
  facts->memory_request = Nanos{10} * kMiB * 1'000'000'000;
  PodView view{.facts = facts, .name = name, .namespace_ = "default", .uid = facts->pod.uid};
  view.priority = priority;
  view.activity = PodActivity::kRunning;
  view.memory_working_set_bytes = memory_mib * kMiB;
  PodStats stats;
  stats.uid = view.uid;
  stats.has_memory = true;
  stats.memory_working_set_bytes = view.memory_working_set_bytes;
  Summary summary = snapshot.summary ? *snapshot.summary : Summary{};
  summary.pods.push_back(stats);
  snapshot.summary = std::make_shared<const Summary>(std::move(summary));
  snapshot.pods.push_back(std::move(view));
}

Snapshot Calm() {
  Snapshot snapshot;
  snapshot.at = At(100);
  snapshot.passes = 7;
  snapshot.policy = std::make_shared<const PassPolicy>();
  snapshot.thresholds = {
      View(Signal::kMemoryAvailable, Quantity::Of(100 * kMiB), 200 * kMiB, 500 * kMiB),
      View(Signal::kNodeFsAvailable, Percentage{0.1F}, 500 * kMiB, 1000 * kMiB)};
  AddPod("a", 0, 20, snapshot);
  AddPod("b", 0, 50, snapshot);
  AddPod("c", -1, 11, snapshot);
  return snapshot;
}

std::vector<std::string> Names(const Overview& overview) {
  std::vector<std::string> names;
  for (const OverviewPod& pod : overview.pods) names.push_back(pod.name);
  return names;
}

TEST(Overview, PodsStandInTheOrderOfEvictionWithTheFieldThatDecides) {
  const Overview overview = OverviewOf(Calm());
  EXPECT_EQ(overview.ranked_for, Signal::kMemoryAvailable);
  ASSERT_THAT(Names(overview), ElementsAre("c", "b", "a"));
  EXPECT_EQ(overview.pods[0].why, "priority");
  EXPECT_EQ(overview.pods[1].why, "usage minus request");
  EXPECT_EQ(overview.pods[2].why, "");
  EXPECT_EQ(overview.pods[1].place, 2);
  EXPECT_EQ(overview.pods[1].excess, 40 * kMiB);
  EXPECT_TRUE(overview.pods[1].over_request);
}

TEST(Overview, WhoDoesNotGoHasNoPlace) {
  Snapshot snapshot = Calm();
  auto critical = std::make_shared<PodFacts>(*snapshot.pods[1].facts);
  critical->protection = Protection::kCritical;
  snapshot.pods[1].facts = critical;
  snapshot.pods[0].activity = PodActivity::kWaiting;
  AddPod("new", 0, 1, snapshot);
  snapshot.pods[3].uid = "not measured yet";
  const Overview overview = OverviewOf(snapshot);
  EXPECT_THAT(Names(overview), ElementsAre("c", "b", "a", "new"));
  EXPECT_TRUE(overview.pods[0].place);
  EXPECT_TRUE(overview.pods[1].excess) << "what is ranked has figures";
  for (std::size_t i = 1; i < 4; ++i) EXPECT_FALSE(overview.pods[i].place) << i;
}

// Memory was last short at 90, and the condition stays for a minute; a disk may be short, too.
Snapshot Refusing(NodeConditions conditions) {
  Snapshot snapshot = Calm();
  PassPolicy policy;
  policy.pressure_transition_period = std::chrono::minutes(1);
  snapshot.policy = std::make_shared<const PassPolicy>(policy);
  snapshot.node = std::make_shared<const NodeIdentity>();
  snapshot.conditions = conditions;
  CycleReport report;
  report.at = At(100);
  auto& observed = report.evaluation.next.condition_last_observed_at;
  observed[IndexOf(NodeConditionType::kMemoryPressure)] = At(90);
  observed[IndexOf(NodeConditionType::kDiskPressure)] = At(80);
  observed[IndexOf(NodeConditionType::kPidPressure)] = At(100);
  snapshot.last_report = std::make_shared<const CycleReport>(report);
  snapshot.pods[0].activity = PodActivity::kWaiting;
  snapshot.pods[0].refused_for = "MemoryPressure";
  return snapshot;
}

// The pod "a".
OverviewPod Waiting(const Snapshot& snapshot) {
  const Overview overview = OverviewOf(snapshot);
  return *std::ranges::find(overview.pods, "a", &OverviewPod::name);
}

TEST(Overview, ARefusedPodSaysForWhatAndUntilWhenWhereThatIsKnown) {
  NodeConditions conditions;
  conditions.Set(NodeConditionType::kMemoryPressure);
  OverviewPod pod = Waiting(Refusing(conditions));
  EXPECT_EQ(pod.refused_for, "MemoryPressure");
  EXPECT_EQ(pod.refused_until, At(150));
  conditions.Set(NodeConditionType::kDiskPressure);
  EXPECT_EQ(Waiting(Refusing(conditions)).refused_until, At(150)) << "when the last one ends";
  conditions.Set(NodeConditionType::kPidPressure);
  EXPECT_FALSE(Waiting(Refusing(conditions)).refused_until) << "it is observed now";
  EXPECT_FALSE(Waiting(Refusing({})).refused_until) << "it lacks room";
}

TEST(Overview, AnEvictedPodSaysWhenItReturnsAtTheEarliestAndWhyNotSooner) {
  NodeConditions memory;
  memory.Set(NodeConditionType::kMemoryPressure);
  const auto evicted = [](NodeConditions conditions, Instant back_off) {
    Snapshot snapshot = Refusing(conditions);
    snapshot.pods[0].refused_for.clear();
    snapshot.pods[0].comes_back_at = back_off;
    return snapshot;
  };
  const auto told = [](const Snapshot& snapshot) {
    const OverviewPod pod = Waiting(snapshot);
    return std::pair(pod.comes_back_at, pod.comes_back_after);
  };
  using Told = std::pair<std::optional<Instant>, std::string>;
  EXPECT_EQ(told(evicted({}, At(110))), Told(At(110), "back-off"));
  EXPECT_EQ(told(evicted(memory, At(110))), Told(At(150), "MemoryPressure"));
  EXPECT_EQ(told(evicted(memory, At(200))), Told(At(200), "back-off"));
  NodeConditions pids;
  pids.Set(NodeConditionType::kPidPressure);
  EXPECT_EQ(told(evicted(pids, At(110))), Told(std::nullopt, "PIDPressure")) << "it lasts";
  Snapshot two = evicted({}, At(110));
  two.pods[1].activity = PodActivity::kWaiting;
  two.pods[1].priority = two.pods[0].priority + 1;
  two.pods[1].comes_back_at = At(120);
  EXPECT_EQ(told(two), Told(At(120), two.pods[1].namespace_ + "/" + two.pods[1].name));
  Snapshot starved = evicted({}, At(110));
  CycleReport report = *starved.last_report;
  report.evaluation.overdue[0] = true;
  starved.last_report = std::make_shared<const CycleReport>(report);
  EXPECT_EQ(told(starved), Told(std::nullopt, "threshold met"));
}

TEST(Overview, APodSaysWhatItsContainerWaitsFor) {
  Snapshot snapshot = Calm();
  snapshot.pods[0].activity = PodActivity::kStarting;
  snapshot.pods[0].status.containers = {
      {.name = "new"}, {.name = "c", .state = ContainerWaiting{"ErrImagePull", "no such host"}}};
  EXPECT_EQ(Waiting(snapshot).waiting_reason, "ErrImagePull");
  EXPECT_EQ(Waiting(snapshot).waiting_message, "no such host");
  EXPECT_EQ(Waiting(Calm()).waiting_reason, "");
  snapshot.pods[0].status.message = "configMap web: no such folder";
  snapshot.pods[0].status.phase = PodPhase::kRunning;
  EXPECT_EQ(Waiting(snapshot).waiting_reason, "ErrImagePull") << "it has been made";
  snapshot.pods[0].status.phase = PodPhase::kPending;
  EXPECT_EQ(Waiting(snapshot).waiting_reason, "FailedCreatePodSandBox");
}

TEST(Overview, ARefusalIsToldApartFromAnEviction) {
  Snapshot snapshot = Calm();
  snapshot.events = {{.pod = "default/a", .event = {.reason = "Evicted"}, .refused_for = "x"},
                     {.pod = "default/b", .event = {.reason = "Evicted"}}};
  const std::string json = OverviewJson(OverviewOf(snapshot));
  EXPECT_THAT(json, HasSubstr(R"("object":"default/a","reason":"Evicted","message":"",)"
                              R"("refusedFor":"x"})"));
  EXPECT_THAT(json, HasSubstr(R"("object":"default/b","reason":"Evicted","message":""})"));
}

TEST(NearestSignal, IsTheOneThatHasUsedUpMostOfItsRoom) {
  Snapshot snapshot = Calm();
  EXPECT_EQ(NearestSignal(snapshot.thresholds), Signal::kMemoryAvailable);
  snapshot.thresholds[1].observation->available = 101 * kMiB;
  EXPECT_EQ(NearestSignal(snapshot.thresholds), Signal::kNodeFsAvailable);
}

TEST(Overview, WhatIsNotMeasuredIsLeftOut) {
  Snapshot snapshot = Calm();
  snapshot.thresholds[1].observation.reset();
  const std::string json = OverviewJson(OverviewOf(snapshot));
  EXPECT_THAT(json, HasSubstr(R"({"signal":"nodefs.available","unit":"bytes","thresholds":[{)"
                              R"("kind":"hard","value":"10%","gracePeriodSeconds":0,"met":false)"));
  EXPECT_EQ(json.find("lastPass"), std::string::npos);
}

TEST(Overview, ThresholdsOfOneSignalStandTogetherHardOnesFirst) {
  Snapshot snapshot = Calm();
  ThresholdView soft =
      View(Signal::kMemoryAvailable, Quantity::Of(200 * kMiB), 300 * kMiB, 500 * kMiB);
  soft.threshold.grace_period = seconds(90);
  snapshot.thresholds.insert(snapshot.thresholds.begin(), soft);
  const Overview overview = OverviewOf(snapshot);
  ASSERT_THAT(overview.signals, SizeIs(2));
  ASSERT_THAT(overview.signals[0].thresholds, SizeIs(2));
  EXPECT_TRUE(overview.signals[0].thresholds[0].hard);
  EXPECT_EQ(overview.signals[0].thresholds[1].grace_period, seconds(90));
}

TEST(Overview, TheLastEvictionsAreShownWhateverHappenedAfterThem) {
  Snapshot snapshot = Calm();
  for (int i = 0; i < 100; ++i) {
    snapshot.events.push_back({.sequence = static_cast<std::uint64_t>(i + 1),
                               .at = At(i),
                               .pod = "default/a",
                               .event = {.reason = i < 20 ? "Evicted" : "Started"}});
  }
  const Overview overview = OverviewOf(snapshot);
  ASSERT_THAT(overview.events, SizeIs(58));
  EXPECT_EQ(overview.events[0].at, At(12));
  EXPECT_EQ(overview.events[7].reason, "Evicted");
  EXPECT_EQ(overview.events[8].at, At(50));
}

TEST(Overview, ConditionsAndTaintsAreTheKubelets) {
  Snapshot snapshot = Calm();
  snapshot.conditions.Set(NodeConditionType::kDiskPressure);
  snapshot.condition_views = {
      {.type = NodeConditionType::kDiskPressure, .status = true, .last_transition = At(3)}};
  const Overview overview = OverviewOf(snapshot);
  ASSERT_THAT(overview.conditions, SizeIs(1));
  EXPECT_EQ(overview.conditions[0].reason, "KubeletHasDiskPressure");
  ASSERT_THAT(overview.taints, SizeIs(1));
  EXPECT_EQ(overview.taints[0].key, "node.kubernetes.io/disk-pressure");
}

TEST(HistoryJson, EverySignalHasAnEntryForEachSample) {
  Snapshot snapshot = Calm();
  const auto add = [&](int second, Signal signal, std::int64_t available) {
    SignalSample& sample = snapshot.history.emplace_back();
    sample.at = At(second);
    sample.available[IndexOf(signal)] = available;
    sample.known.set(IndexOf(signal));
  };
  add(1, Signal::kMemoryAvailable, 5);
  add(2, Signal::kNodeFsAvailable, 6);
  const std::string json = HistoryJson(snapshot);
  EXPECT_THAT(json, HasSubstr(R"("times":[1000001000,1000002000])"));
  EXPECT_THAT(json, HasSubstr(R"("unit":"bytes","available":[5,null]})"));
  EXPECT_THAT(json, HasSubstr(R"("unit":"bytes","available":[null,6]})"));
}

}  // namespace
}  // namespace jettison
