#include "agent/cluster/cluster_side.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "ports/fakes/fake_cgroups.h"
#include "ports/fakes/fake_clock.h"
#include "sources/kubernetes/test_bed/fake_cluster.h"

namespace jettison {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::UnorderedElementsAre;

struct Fixture {
  bool dry_run = false;
  FakeClock clock{Instant(std::chrono::hours(500'000))};
  kube::FakeCluster cluster;
  FakeCgroups groups;
  std::string logged;
  Log log{LogFormat::kText, clock, [this](std::string_view line) { logged += line; }};
  EventLog events{log, 16};
  std::vector<std::string> given_up;
  std::vector<kube::FoundHeld> held;  // as the list of pods will show
  bool runs = true;                   // the pod, as the table of pods has it
  std::vector<EvictionOrder> ended;
  std::unique_ptr<ClusterSide> side = Begin();

  std::unique_ptr<ClusterSide> Begin() {
    return std::make_unique<ClusterSide>(
        ClusterSideDependencies{
            .access = {.cluster = cluster, .clock = clock, .log = log},
            .groups = groups,
            .name_of_pod = [](std::string_view uid) { return uid == "?" ? "" : "default/web"; },
            .group_of_pod = [](const std::string&) { return "kubepods/podu"; },
            .pids_limit = 1000,
            .on_given_up = [this](const std::string& uid) { given_up.push_back(uid); },
            .take_held = [this] { return std::exchange(held, {}); },
            .end_pod =
                [this](const EvictionOrder& order) {
                  if (runs) ended.push_back(order);
                  return runs;
                },
            .dry_run = dry_run},
        "bed");
  }
  // Another agent continues with the evictions of the one before.
  void StartAgain() {
    auto unfinished = side->Unfinished();
    side = Begin();
    side->Resume(std::move(unfinished));
    side->Advance(clock.Now());
  }
  // Events of these objects, which the log has already.
  void Report(const std::vector<std::string>& objects) {
    for (const std::string& object : objects) {
      events.Add(clock.Now(), object,
                 {.object = object,
                  .type = EventType::kWarning,
                  .reason = "Evicted",
                  .message = "m",
                  .annotations = {}});
    }
    logged.clear();
    side->ReportEvents(events, clock.Now());
  }
  // As it is listed when nothing of it runs any more.
  void ListHeld(const std::string& uid, const std::string& group) {
    held.push_back({.head = {.namespace_ = "default",
                             .name = "web-" + uid,
                             .uid = uid,
                             .resource_version = "7"},
                    .group = group});
  }
  void Evict(bool soft, bool left_to_agent = false, Duration later = std::chrono::seconds(1)) {
    side->Evicting({.pod_uid = "u",
                    .grace_period_seconds = 1,
                    .message = "low on memory",
                    .annotations = {{"starved_resource", "memory"}},
                    .disruption_target = true,
                    .soft = soft,
                    .left_to_agent = left_to_agent},
                   EvictOutcome::kEnding, clock.Now());
    clock.Advance(later);
    side->Advance(clock.Now());
  }
};

// A node on which an agent that evicted pods has left these taints and conditions.
std::string LeftNode(const std::string& taints, const std::string& conditions) {
  return R"({"kind":"Node","apiVersion":"v1","metadata":{"name":"bed","uid":"n-1",)"
         R"("resourceVersion":"1"},"spec":{"taints":[)" +
         taints + R"(]},"status":{"conditions":[)" + conditions + "]}}";
}

constexpr const char* kMark = "PATCH /api/v1/namespaces/default/pods/web/status";
constexpr const char* kDelete = "DELETE /api/v1/namespaces/default/pods/web";

TEST(ClusterSide, APodIsMarkedAndDeletedWhenTheNodeIsTaintedAndItIsThePodThatWasMeant) {
  Fixture f;
  f.side->Advance(f.clock.Now());
  f.cluster.Answer(200, LeftNode("", ""));
  f.Evict(false, false, Duration(0));
  EXPECT_EQ(f.side->changes().evictions, 1U) << "it has to be written to the disk at once";
  EXPECT_THAT(f.cluster.Waiting(), UnorderedElementsAre("PATCH /api/v1/nodes/bed", kMark));
  f.cluster.Answer(200,
                   LeftNode(R"({"key":"jettison.io/memory-pressure","effect":"NoSchedule"})", ""));
  f.side->Advance(f.clock.Now());
  ASSERT_THAT(f.cluster.Waiting(), Contains(kDelete));
  for (const auto& asked : f.cluster.waiting()) {
    EXPECT_THAT(asked.call.body, HasSubstr(R"("uid":"u")")) << "no other pod of the name is hit";
  }
  f.cluster.AnswerAll(200);
  EXPECT_EQ(f.side->evictions_under_way(), 0U);
  EXPECT_THAT(f.side->Unfinished(), IsEmpty());
  EXPECT_THAT(f.logged, HasSubstr("pod=default/web"));
}

// As after an API server's store was set back, which keeps the UIDs.
TEST(ClusterSide, APodThatComesBackAfterItsEvictionIsToldOfAnew) {
  Fixture f;
  for (int i = 0; i < 2; ++i) {
    f.Evict(false);
    EXPECT_EQ(f.side->evictions_under_way(), 1U);
    EXPECT_THAT(f.cluster.Waiting(), Contains(kDelete));
    f.cluster.AnswerAll(200);
    EXPECT_EQ(f.side->evictions_under_way(), 0U);
  }
}

TEST(ClusterSide, AnApiServerThatIsAwayIsToldWhenItIsBackAlsoByALaterAgent) {
  Fixture f;
  f.Evict(false);
  for (int i = 0; i < 10; ++i) {
    while (!f.cluster.waiting().empty()) {
      f.cluster.Answer(Fail(ErrorCode::kUnavailable, "connection refused"));
    }
    f.clock.Advance(std::chrono::minutes(1));
    if (i == 5) f.clock.StepWall(std::chrono::hours(-3));
    if (i == 5) f.StartAgain();
    f.side->Advance(f.clock.Now());
  }
  EXPECT_EQ(f.side->evictions_under_way(), 1U);
  f.cluster.AnswerAll(200);
  EXPECT_EQ(f.side->evictions_under_way(), 0U);
}

TEST(ClusterSide, AnswersThatComeTwiceOrTooLateAreLeftOut) {
  Fixture f;
  f.Evict(false);
  const auto asked = f.cluster.waiting();
  const kube::ApiReply done{.status = 200, .body = kube::FakeCluster::kSuccess};
  for (int i = 0; i < 3; ++i) {
    for (const auto& one : asked) one.on_reply(done);
  }
  EXPECT_EQ(f.side->evictions_under_way(), 0U);
  f.side.reset();
  for (const auto& one : asked) one.on_reply(done);
}

// A Job that ignores disruptions would make such a pod again for ever.
TEST(ClusterSide, APodThatExceededALimitOfItsOwnIsMarkedWithoutTheConditionAfterARestartToo) {
  Fixture f;
  f.side->Evicting({.pod_uid = "u",
                    .grace_period_seconds = 1,
                    .message = "Usage of EmptyDir volume \"scratch\" exceeds the limit \"4Mi\". ",
                    .annotations = {}},
                   EvictOutcome::kEnding, f.clock.Now());
  const auto marks_as_the_kubelet = [&f] {
    ASSERT_THAT(f.cluster.Waiting(), Contains(HasSubstr("PATCH /api/v1/namespaces/default/pods")));
    for (const auto& asked : f.cluster.waiting()) {
      if (asked.call.method != "PATCH") continue;
      EXPECT_THAT(asked.call.body, HasSubstr(R"("reason":"Evicted")"));
      EXPECT_THAT(asked.call.body, HasSubstr("exceeds the limit"));
      EXPECT_THAT(asked.call.body, Not(HasSubstr("DisruptionTarget")));
    }
  };
  marks_as_the_kubelet();
  f.StartAgain();
  ASSERT_EQ(f.ended.size(), 1U);
  EXPECT_FALSE(f.ended[0].disruption_target);
  marks_as_the_kubelet();
}

TEST(ClusterSide, OfASoftEvictionTheApiServerKnowsSoTheNodeIsTaintedAndNoMore) {
  Fixture f;
  f.Evict(true);
  EXPECT_THAT(f.cluster.Waiting(), Contains("GET /api/v1/nodes/bed"));
  EXPECT_THAT(f.cluster.Waiting(), Not(Contains(HasSubstr("/pods/"))));
  f.Evict(false);
  EXPECT_THAT(f.cluster.Waiting(), Contains(HasSubstr("DELETE"))) << "a hard eviction";
}

TEST(ClusterSide, ASoftEvictionThatIsLeftToTheAgentIsMarkedAndDeletedLikeAHardOne) {
  Fixture f;
  f.Evict(true, /*left_to_agent=*/true);
  EXPECT_THAT(f.cluster.Waiting(), Contains(HasSubstr("DELETE")));
  EXPECT_THAT(f.cluster.Waiting(), Contains(HasSubstr("/pods/web/status")));
}

TEST(ClusterSide, APodWhoseEvictionIsGivenUpMayStartProcessesAgainAndIsTold) {
  Fixture f;
  ASSERT_TRUE(f.groups.Create("kubepods/podu", {.pids_max = 0}));
  f.Evict(false);
  while (!f.cluster.waiting().empty()) f.cluster.Answer(503);
  EXPECT_THAT(f.given_up, IsEmpty());
  f.clock.Advance(std::chrono::hours(1));
  f.side->Advance(f.clock.Now());
  EXPECT_THAT(f.given_up, ElementsAre("u"));
  EXPECT_EQ(f.groups.LimitsOf("kubepods/podu").pids_max, 1000);
}

// The kubelet has started the pod afresh on a node that is short of nothing.
TEST(ClusterSide, AnEvictionThatABootHasOvertakenIsDropped) {
  for (const bool runs : {true, false}) {
    Fixture f;
    f.Evict(false);
    f.clock.SetBoot("next");
    f.clock.Advance(std::chrono::minutes(2));
    ASSERT_TRUE(f.groups.Create("kubepods/podu", {.pids_max = 1000}));
    f.runs = runs;
    f.StartAgain();
    f.runs = true;
    f.side->ContinueEvictions(f.clock.Now());
    EXPECT_THAT(f.ended, IsEmpty());
    EXPECT_EQ(f.side->evictions_under_way(), 0U);
    EXPECT_EQ(f.groups.LimitsOf("kubepods/podu").pids_max, 1000);
    EXPECT_THAT(f.logged, HasSubstr("the machine was restarted before the eviction"));
    EXPECT_THAT(f.side->Unfinished(), IsEmpty()) << "it is no longer recorded";
  }
}

TEST(ClusterSide, AHeldPodWhoseEvictionNobodyRecordedMayStartProcessesAgain) {
  Fixture f;
  ASSERT_TRUE(f.groups.Create("kubepods/podorphan", {.pids_max = 0}));
  f.ListHeld("orphan", "kubepods/podorphan");
  f.side->Advance(f.clock.Now());
  EXPECT_EQ(f.groups.LimitsOf("kubepods/podorphan").pids_max, 1000);
  EXPECT_THAT(f.logged, HasSubstr("default/web-orphan"));
}

TEST(ClusterSide, APodThatAnEarlierAgentEvictedStaysHeld) {
  Fixture f;
  ASSERT_TRUE(f.groups.Create("kubepods/podu", {.pids_max = 1000}));
  f.Evict(false);
  f.runs = false;
  f.StartAgain();
  f.ListHeld("u", "kubepods/podu");
  f.side->Advance(f.clock.Now());
  EXPECT_EQ(f.groups.LimitsOf("kubepods/podu").pids_max, 0);
}

// As with a store of the API server that was restored from a backup.
TEST(ClusterSide, APodWhoseConfirmedDeletionTheApiServerHasLostMayStartProcessesAgain) {
  Fixture f;
  f.Evict(false);
  f.cluster.AnswerAll(200);
  EXPECT_EQ(f.side->evictions_under_way(), 0U);
  ASSERT_TRUE(f.groups.Create("kubepods/podu", {.pids_max = 0}));
  f.ListHeld("u", "kubepods/podu");
  f.side->Advance(f.clock.Now());
  EXPECT_EQ(f.groups.LimitsOf("kubepods/podu").pids_max, 0) << "that list may be older";
  f.clock.Advance(ClusterSide::kMayBeOld);
  f.ListHeld("u", "kubepods/podu");
  f.side->Advance(f.clock.Now());
  EXPECT_EQ(f.groups.LimitsOf("kubepods/podu").pids_max, 1000) << "it is not held for good";
}

TEST(ClusterSide, EventsOfItsPodsAndOfTheNodeAreSent) {
  Fixture f;
  f.Report({"u", "?", "node"});
  EXPECT_THAT(f.cluster.Waiting(), ElementsAre("POST /api/v1/namespaces/default/events"));
  EXPECT_THAT(f.cluster.waiting().front().call.body, HasSubstr(R"("uid":"u")"));
  f.cluster.Answer(201);
  ASSERT_THAT(f.cluster.Waiting(), ElementsAre("POST /api/v1/namespaces/default/events"));
  EXPECT_THAT(f.cluster.waiting().front().call.body, HasSubstr(R"("kind":"Node")"));
  f.cluster.Answer(201);
  EXPECT_THAT(f.cluster.Waiting(), IsEmpty());
  EXPECT_EQ(f.logged, "");
}

TEST(ClusterSide, AnEventThatIsNotTakenIsSaidOnceAndSentAgain) {
  constexpr const char* kCost = "evictions are not reported as events";
  Fixture f;
  f.Report({"u"});
  for (int i = 0; i < 3; ++i) {
    while (!f.cluster.waiting().empty()) f.cluster.Answer(503);
    f.clock.Advance(std::chrono::seconds(20));
    f.side->Advance(f.clock.Now());
  }
  EXPECT_THAT(f.cluster.Waiting(), Contains(HasSubstr("/events")));
  ASSERT_THAT(f.logged, HasSubstr(kCost));
  EXPECT_EQ(f.logged.find(kCost), f.logged.rfind(kCost));
  EXPECT_EQ(f.side->events_dropped(), 0U);
}

TEST(ClusterSide, AnEvictionOfAnEarlierAgentGoesOnWithTheRestOfItsGracePeriod) {
  Fixture f;
  f.Evict(false);
  f.clock.Set(f.clock.Now() - std::chrono::milliseconds(600));  // as soon after it was evicted
  f.StartAgain();
  ASSERT_EQ(f.ended.size(), 1U);
  EXPECT_EQ(f.ended[0].pod_uid, "u");
  EXPECT_EQ(f.ended[0].grace_period_seconds, 1);
  EXPECT_EQ(f.ended[0].message, "low on memory");
  EXPECT_EQ(f.ended[0].reason, "Evicted");
  f.side->ContinueEvictions(f.clock.Now());
  EXPECT_EQ(f.ended.size(), 1U) << "once";
}

TEST(ClusterSide, APodOfAnEarlierEvictionThatIsFoundLaterIsKilledAtOnceAndHeldUntilThen) {
  Fixture f;
  ASSERT_TRUE(f.groups.Create("kubepods/podu", {.pids_max = 1000}));
  f.Evict(false);
  f.runs = false;
  f.StartAgain();
  EXPECT_EQ(f.groups.LimitsOf("kubepods/podu").pids_max, 0);
  EXPECT_THAT(f.ended, IsEmpty());
  f.side->ContinueEvictions(f.clock.Now());
  f.runs = true;
  f.side->ContinueEvictions(f.clock.Now());
  f.side->ContinueEvictions(f.clock.Now());
  ASSERT_EQ(f.ended.size(), 1U);
  EXPECT_EQ(f.ended[0].grace_period_seconds, 0);
}

TEST(ClusterSide, AnEvictionOfAnEarlierAgentWhosePodIsGoneEndsNothing) {
  Fixture f;
  f.Evict(false);
  f.runs = false;
  f.StartAgain();
  while (!f.cluster.waiting().empty()) {
    f.cluster.Answer(404, R"({"kind":"Status","code":404,"reason":"NotFound"})");
  }
  EXPECT_EQ(f.side->evictions_under_way(), 0U);
  f.runs = true;
  f.side->ContinueEvictions(f.clock.Now());
  EXPECT_THAT(f.ended, IsEmpty());
}

TEST(ClusterDryRun, APodThatAnEarlierAgentHeldMayRunAgainAndIsNotDeleted) {
  Fixture f{.dry_run = true};
  ASSERT_TRUE(f.groups.Create("kubepods/podu", {.pids_max = 0}));
  f.groups.FailOn(FakeCgroups::Operation::kCreate, "kubepods/podu",
                  {ErrorCode::kUnavailable, "busy"});
  f.side->Resume({{.namespace_ = "default",
                   .name = "web",
                   .uid = "u",
                   .message = "low on memory",
                   .grace_seconds = 1,
                   .evicted_at = f.clock.Wall(),
                   .boot_id = {},
                   .held_group = "kubepods/podu",
                   .pids_limit = 500}});
  f.ListHeld("u", "kubepods/podu");
  f.side->Advance(f.clock.Now());
  EXPECT_THAT(f.cluster.Waiting(), ElementsAre("GET /api/v1/nodes/bed"));
  EXPECT_THAT(f.logged, HasSubstr("pod=default/web"));
  EXPECT_THAT(f.side->Unfinished(), IsEmpty());
  f.groups.ClearFailures();
  EXPECT_EQ(f.side->NextDeadline(), f.clock.Now() + ClusterSide::kFreeEvery);
  f.clock.Advance(ClusterSide::kFreeEvery);
  f.side->Advance(f.clock.Now());
  EXPECT_EQ(f.groups.LimitsOf("kubepods/podu").pids_max, 500);
}

TEST(ClusterDryRun, WhatIsLeftOnTheNodeIsRemovedAndNothingIsSet) {
  Fixture f{.dry_run = true};
  f.side->Advance(f.clock.Now());
  f.cluster.Answer(200, LeftNode(R"({"key":"jettison.io/memory-pressure","effect":"NoSchedule"},)"
                                 R"({"key":"foreign","effect":"NoSchedule"})",
                                 R"({"type":"JettisonMemoryPressure","status":"True"})"));
  EXPECT_THAT(f.cluster.Waiting(), IsEmpty());
  f.clock.Advance(kube::PressureTaints::kLeftoversStay);
  f.side->Advance(f.clock.Now());
  ASSERT_THAT(f.cluster.Waiting(),
              ElementsAre("PATCH /api/v1/nodes/bed", "PATCH /api/v1/nodes/bed/status"));
  EXPECT_THAT(f.cluster.waiting()[0].call.body, Not(HasSubstr("jettison.io")));
  EXPECT_THAT(f.cluster.waiting()[0].call.body, HasSubstr("foreign"));
  EXPECT_THAT(f.cluster.waiting()[1].call.body,
              HasSubstr(R"([{"$patch":"delete","type":"JettisonMemoryPressure"}])"));
  f.cluster.Answer(200, LeftNode("", ""));
  f.cluster.Answer(200, LeftNode("", ""));
  EXPECT_TRUE(f.side->Stop(f.clock.Now()));
}

TEST(ClusterDryRun, WhatIsLeftIsRemovedAtTheEndOfADryRunThatWasShort) {
  Fixture f{.dry_run = true};
  f.side->Advance(f.clock.Now());
  f.cluster.Answer(200,
                   LeftNode(R"({"key":"jettison.io/memory-pressure","effect":"NoSchedule"})", ""));
  EXPECT_FALSE(f.side->Stop(f.clock.Now()));
  EXPECT_THAT(f.cluster.Waiting(), ElementsAre("PATCH /api/v1/nodes/bed"));
}

}  // namespace
}  // namespace jettison
