// All classes that inform a cluster, over the thread and a connection, with a fake API server. Time
// only moves when a test steps it.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "agent/cluster/cluster_evictions.h"
#include "agent/cluster/link/cluster_link.h"
#include "agent/cluster/link/testing/link_clock.h"
#include "agent/cluster/node_reporter.h"
#include "ports/fakes/fake_clock.h"
#include "sources/kubernetes/test_bed/fake_api_server.h"

namespace jettison {
namespace {

using kube::EvictionEnd;
using kube::EvictionIntent;
using kube::FakeStore;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

constexpr auto kPressure = NodeConditionType::kMemoryPressure;
constexpr auto kReportingLongest = std::chrono::seconds(20);
constexpr const char* kTaint = "PATCH /api/v1/nodes/bed";
constexpr const char* kMark = "PATCH /api/v1/namespaces/default/pods/a/status";
constexpr const char* kDelete = "DELETE /api/v1/namespaces/default/pods/a";

class ClusterReportingTest : public testing::Test {
 protected:
  void Start() {
    auto link = ClusterLink::Open({.access = {.server = server_.url()},
                                   .node = "bed",
                                   .clock = steady_.clock(),
                                   .chance = [] { return 0.0; }});
    ASSERT_TRUE(link) << link.error().message;
    link_ = std::move(*link);
    const ClusterAccess access = {.cluster = *link_, .clock = clock_, .log = log_};
    reporter_ = std::make_unique<NodeReporter>(access, "bed");
    evictions_ = std::make_unique<ClusterEvictions>(
        access, [this](NodeConditionType condition) { return reporter_->IsSettled(condition); },
        [this](const EvictionIntent& intent, EvictionEnd end) { Note(intent, end); });
    (void)evictions_->Resume(saved_, clock_.Now());
  }
  void Note(const EvictionIntent& intent, EvictionEnd end) {
    over_.push_back(intent.uid + (end == EvictionEnd::kDeleted ? " deleted" : " gone"));
  }
  void Kill() {
    saved_ = evictions_->Unfinished();
    evictions_.reset();
    reporter_.reset();
    link_.reset();
  }
  enum class Pauses : bool { kAwait, kStepOver };
  // Turns the loop.
  template <typename Condition>
  [[nodiscard]] bool TurnUntil(Condition condition, Pauses pauses = Pauses::kAwait) {
    const auto deadline = std::chrono::steady_clock::now() + kReportingLongest;
    while (!condition()) {
      if (std::chrono::steady_clock::now() > deadline) return false;
      const auto next = evictions_->NextDeadline();
      if (pauses == Pauses::kStepOver && next && *next > clock_.Now()) clock_.Set(*next);
      reporter_->Advance(clock_.Now());
      evictions_->Advance(clock_.Now());
      pollfd waiting{.fd = link_->fd(), .events = POLLIN, .revents = 0};
      ::poll(&waiting, 1, 20);
      link_->Dispatch();
    }
    return true;
  }
  [[nodiscard]] bool IsReady() {
    return TurnUntil([&] { return server_.CountOf("GET /api/v1/nodes/bed") > 0; });
  }
  void Begin(const std::string& uid) {
    reporter_->Urge(kPressure, clock_.Now());
    evictions_->Begin({.namespace_ = "default",
                       .name = "a",
                       .uid = uid,
                       .message = "The node was low on resource: memory. ",
                       .grace_seconds = 1,
                       .evicted_at = clock_.Wall(),
                       .held_group = {},
                       .pids_limit = {}},
                      kPressure, clock_.Now());
  }
  [[nodiscard]] std::size_t PlaceOf(const std::string& request) {
    const auto requests = server_.requests();
    return static_cast<std::size_t>(std::ranges::find(requests, request) - requests.begin());
  }
  [[nodiscard]] std::string PodText() {
    return server_.Look<std::string>([](FakeStore& store) { return store.Pod("a")->dump(); });
  }
  [[nodiscard]] std::string NodeText() {
    return server_.Look<std::string>([](FakeStore& store) { return store.node().dump(); });
  }

  kube::FakeApiServer server_;
  FakeClock clock_{Instant(std::chrono::hours(500'000))};
  std::vector<std::string> lines_;
  Log log_{LogFormat::kText, clock_, [this](std::string_view line) { lines_.emplace_back(line); }};
  std::vector<EvictionIntent> saved_;
  LinkClock steady_;
  std::unique_ptr<ClusterLink> link_;
  std::unique_ptr<NodeReporter> reporter_;
  std::unique_ptr<ClusterEvictions> evictions_;
  std::vector<std::string> over_;
};

TEST_F(ClusterReportingTest, AnEvictionMarksThePodAndDeletesItWhenTheNodeIsTainted) {
  server_.PutPod("a", "ua");
  Start();
  ASSERT_TRUE(IsReady());
  Begin("ua");
  ASSERT_TRUE(TurnUntil([&] { return !over_.empty(); }));
  EXPECT_THAT(over_, ElementsAre("ua deleted"));
  EXPECT_LT(PlaceOf(kMark), server_.requests().size());
  EXPECT_LT(PlaceOf(kTaint), PlaceOf(kDelete));
  EXPECT_THAT(PodText(), HasSubstr("TerminationByKubelet"));
  EXPECT_THAT(PodText(), HasSubstr(R"("deletionGracePeriodSeconds":1)"));
  EXPECT_THAT(PodText(), HasSubstr(R"("phase":"Running")")) << "the kubelet writes the phase";
  EXPECT_THAT(NodeText(), HasSubstr("jettison.io/memory-pressure"));
}

TEST_F(ClusterReportingTest, AServerThatWasAwayIsToldByTheNextAgent) {
  server_.PutPod("a", "ua");
  Start();
  ASSERT_TRUE(IsReady());
  server_.Stop();
  Begin("ua");
  ASSERT_TRUE(TurnUntil([&] { return !lines_.empty(); }));
  EXPECT_THAT(over_, IsEmpty());
  Kill();
  server_.Start();
  Start();
  ASSERT_TRUE(TurnUntil([&] { return !over_.empty(); }, Pauses::kStepOver));
  EXPECT_THAT(over_, ElementsAre("ua deleted"));
  EXPECT_THAT(PodText(), HasSubstr("deletionTimestamp"));
}

TEST_F(ClusterReportingTest, AnApiServerWhoseClockIsYearsOffIsToldTheSame) {
  Start();
  ASSERT_TRUE(IsReady());
  for (const std::string year : {"2020", "2036"}) {
    server_.SetTime(year + "-01-01T00:00:00Z");
    server_.PutPod("a", year);
    Begin(year);
    ASSERT_TRUE(TurnUntil([&] { return !over_.empty(); }));
    EXPECT_THAT(std::exchange(over_, {}), ElementsAre(year + " deleted"));
    EXPECT_THAT(PodText(), HasSubstr("\"deletionTimestamp\":\"" + year));
    EXPECT_THAT(PodText(), HasSubstr(R"("lastTransitionTime":"2027-01-15T08:00:00Z")"))
        << "the time of the node";
    server_.RemovePod("a");
  }
  EXPECT_THAT(lines_, Each(Not(HasSubstr("WARN"))));
}

TEST_F(ClusterReportingTest, WhatAnEarlierAgentBeganIsFinishedHoweverTheClockWasSetMeanwhile) {
  for (const Duration step : {std::chrono::hours(-3), std::chrono::hours(6)}) {
    server_.PutPod("a", "ua");
    Start();
    server_.Stop();
    lines_.clear();
    Begin("ua");
    ASSERT_TRUE(TurnUntil([&] { return !lines_.empty(); }));
    Kill();
    clock_.StepWall(step);
    server_.Start();
    Start();
    ASSERT_TRUE(TurnUntil([&] { return !over_.empty(); }, Pauses::kStepOver));
    EXPECT_THAT(std::exchange(over_, {}), ElementsAre("ua deleted"));
    EXPECT_THAT(evictions_->Unfinished(), IsEmpty());
    Kill();
    server_.RemovePod("a");
  }
}

TEST_F(ClusterReportingTest, AnotherPodOfTheNameIsNotHit) {
  server_.PutPod("a", "ua");
  Start();
  ASSERT_TRUE(IsReady());
  server_.Stop();
  Begin("ua");
  ASSERT_TRUE(TurnUntil([&] { return !lines_.empty(); }, Pauses::kStepOver));
  server_.RemovePod("a");
  server_.PutPod("a", "another");
  server_.Start();
  ASSERT_TRUE(TurnUntil([&] { return !over_.empty(); }, Pauses::kStepOver));
  EXPECT_THAT(over_, ElementsAre("ua gone"));
  EXPECT_THAT(PodText(), Not(HasSubstr("deletionTimestamp")));
  EXPECT_THAT(PodText(), Not(HasSubstr("DisruptionTarget")));
}

}  // namespace
}  // namespace jettison
