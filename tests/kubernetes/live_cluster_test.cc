// What is told of an eviction to a real control plane, with a real kubelet beside it.

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>

#include <algorithm>
#include <chrono>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <vector>

#include "agent/cluster/evictions/cluster_evictions.h"
#include "agent/cluster/link/cluster_link.h"
#include "agent/cluster/notify/node_reporter.h"
#include "machine/loop/steady_clock.h"
#include "sources/kubernetes/credentials/api_access.h"
#include "tests/kubernetes/live_control_plane.h"

namespace jettison::kube {
namespace {

using std::chrono::milliseconds;
using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Matches;
using ::testing::Not;

constexpr auto kMemory = NodeConditionType::kMemoryPressure;
constexpr auto kClusterPatience = std::chrono::seconds(60);

class LiveClusterTelling : public testing::Test {
 protected:
  void SetUp() override {
    if (!plane_.missing().empty()) GTEST_SKIP() << plane_.missing();
    const Ran applied = plane_.Apply(
        "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web}\nspec:\n  replicas: 1\n"
        "  selector: {matchLabels: {app: web}}\n  template:\n    metadata: {labels: {app: web}}\n"
        "    spec: {hostNetwork: true, automountServiceAccountToken: false,\n"
        "      containers: [{name: c, image: 'bed.local/app:1', args: [pause]}]}\n");
    ASSERT_EQ(applied.status, 0) << applied.output;
    ASSERT_TRUE(IsRunning());
  }
  // An agent that is this account of the cluster.
  void Start(const std::string& kubeconfig) {
    const AccessReading access = AccessByKubeconfig(kubeconfig);
    ASSERT_TRUE(access.faults.empty());
    auto link = ClusterLink::Open(
        {.access = access.access, .node = "bed", .clock = clock_, .chance = [] { return 0.0; }});
    ASSERT_TRUE(link) << link.error().message;
    link_ = std::move(*link);
    const NodeReporterDependencies edges = {.cluster = *link_, .clock = *clock_, .log = log_};
    teller_ = std::make_unique<NodeReporter>(edges, "bed");
    evictions_ = std::make_unique<ClusterEvictions>(ClusterEvictionDependencies{
        .cluster = *link_,
        .clock = *clock_,
        .log = log_,
        .urge_taint = [this](NodeConditionType condition,
                             Instant now) { teller_->Urge(condition, now); },
        .taint_is_settled =
            [this](NodeConditionType condition) { return teller_->IsSettled(condition); },
        .on_over =
            [this](const EvictionIntent& intent, EvictionEnd end) {
              if (end == EvictionEnd::kDeleted) deleted_.push_back(intent.uid);
            }});
    // The connection is open then, as it is beside the watch of an agent.
    ASSERT_TRUE(TurnUntil([&] { return link_->IsComplete(); }));
  }
  // As after a kill: nothing is taken away.
  void Kill() {
    evictions_.reset();
    teller_.reset();
    link_.reset();
  }
  template <typename Condition>
  [[nodiscard]] bool TurnUntil(Condition condition) {
    const auto deadline = std::chrono::steady_clock::now() + kClusterPatience;
    while (!condition()) {
      if (std::chrono::steady_clock::now() > deadline) return false;
      teller_->Advance(clock_->Now());
      evictions_->Advance(clock_->Now());
      const auto next = evictions_->NextDeadline();
      const Duration pause = next ? *next - clock_->Now() : milliseconds(20);
      pollfd waiting{.fd = link_->fd(), .events = POLLIN, .revents = 0};
      ::poll(&waiting, 1,
             static_cast<int>(std::clamp<std::int64_t>(pause / milliseconds(1), 0, 20)));
      link_->Dispatch();
    }
    return true;
  }
  template <typename Condition>
  [[nodiscard]] static bool Until(Condition condition) {
    const auto deadline = std::chrono::steady_clock::now() + kClusterPatience;
    while (!condition()) {
      if (std::chrono::steady_clock::now() > deadline) return false;
      ::poll(nullptr, 0, 50);
    }
    return true;
  }
  [[nodiscard]] std::string Ask(const std::string& what) const {
    return plane_.Kubectl(what).output;
  }
  [[nodiscard]] std::string Pods(const std::string& what) const {
    return Ask("get pods -l app=web -o jsonpath='{range .items[*]}" + what + "{end}'");
  }
  // Writes down each status of the pods from now on, also one that lasts for a moment.
  void WatchPods() const {
    (void)RunShell(
        fmt::format("timeout 300 {} get pods -l app=web --watch -o jsonpath='{{.status}}' "
                    ">{} 2>&1 </dev/null &",
                    plane_.Path("kubectl"), plane_.Path("watched")));
    ASSERT_TRUE(Until([&] { return !Watched().empty(); }));
  }
  [[nodiscard]] std::string Watched() const {
    std::ifstream file(plane_.Path("watched"));
    return {std::istreambuf_iterator<char>(file), {}};
  }
  [[nodiscard]] bool IsRunning() const {
    return Until([&] { return Pods("{.status.phase} ") == "Running "; });
  }
  // Tells the cluster that its one pod is evicted, and waits until it knows.
  void Evict() {
    const std::string name = Pods("{.metadata.name}");
    const std::string uid = Pods("{.metadata.uid}");
    const auto begin = std::chrono::steady_clock::now();
    evictions_->Begin({.namespace_ = "default",
                       .name = name,
                       .uid = uid,
                       .message = "The node was low on resource: memory. ",
                       .grace_seconds = 1,
                       .evicted_at = clock_->Wall(),
                       .held_group = {},
                       .pids_limit = {}},
                      kMemory, clock_->Now());
    EXPECT_TRUE(TurnUntil([&] { return !deleted_.empty(); }));
    const auto took = std::chrono::steady_clock::now() - begin;
    std::printf("the API server knew after %d ms\n", static_cast<int>(took / milliseconds(1)));
    EXPECT_THAT(std::exchange(deleted_, {}), ElementsAre(uid));
  }

  LiveControlPlane plane_;
  std::shared_ptr<const Clock> clock_ = std::make_shared<SteadyClock>();
  std::vector<std::string> lines_;
  Log log_{LogFormat::kText, *clock_, [this](std::string_view line) { lines_.emplace_back(line); }};
  std::unique_ptr<ClusterLink> link_;
  std::unique_ptr<NodeReporter> teller_;
  std::unique_ptr<ClusterEvictions> evictions_;
  std::vector<std::string> deleted_;
};

TEST_F(LiveClusterTelling, APodGoesWithItsReasonAndItsReplacementIsKeptOffTheNode) {
  Start(plane_.admin());
  // The kubelet keeps the condition; reason and message of the status are its own again, because
  // nobody has ended this pod's processes beside the call.
  WatchPods();
  Evict();
  EXPECT_TRUE(Until([&] {
    return Matches(AllOf(HasSubstr("DisruptionTarget"), HasSubstr("TerminationByKubelet"),
                         HasSubstr("low on resource")))(Watched());
  })) << Watched();
  ASSERT_TRUE(Until([&] { return Pods("{.status.phase} ") == "Pending "; }));
  EXPECT_THAT(Ask("get node bed -o jsonpath='{.spec.taints}'"),
              HasSubstr("jettison.io/memory-pressure"));
  NodeConditions conditions;
  conditions.Set(kMemory);
  teller_->SetConditions(conditions, clock_->Now());
  ASSERT_TRUE(TurnUntil([&] {
    return Ask("describe node bed").find("JettisonHasInsufficientMemory") != std::string::npos;
  }));
  teller_->Stop(clock_->Now());
  ASSERT_TRUE(TurnUntil([&] { return teller_->IsStopped(clock_->Now()); }));
  EXPECT_THAT(Ask("get node bed -o yaml"), Not(HasSubstr("ettison")));
  EXPECT_TRUE(IsRunning()) << "the node has room again";
}

TEST_F(LiveClusterTelling, AMissingRightDelaysNoEvictionAndADeadAgentIsTidiedUpByHand) {
  Start(plane_.agent());
  Evict();
  EXPECT_THAT(lines_, Contains(HasSubstr("resources: [nodes], verbs: [patch]")));
  Kill();
  ASSERT_TRUE(IsRunning());
  Start(plane_.admin());
  NodeConditions conditions;
  conditions.Set(kMemory);
  teller_->SetConditions(conditions, clock_->Now());
  ASSERT_TRUE(TurnUntil([&] {
    return teller_->IsSettled(kMemory) &&
           Ask("describe node bed").find("JettisonHasInsufficientMemory") != std::string::npos;
  }));
  Kill();
  // As the page says.
  EXPECT_THAT(Ask("get nodes -o custom-columns='NODE:.metadata.name,SINCE:.status.conditions[?(@."
                  "type==\"JettisonMemoryPressure\")].lastHeartbeatTime'"),
              testing::ContainsRegex("bed +20[0-9-]+T"));
  const Ran taint = plane_.Kubectl("taint node bed jettison.io/memory-pressure:NoSchedule-");
  EXPECT_EQ(taint.status, 0) << taint.output;
  const Ran patch = plane_.Kubectl(
      R"(patch node bed --subresource=status -p '{"status":{"conditions":[{"$patch":"delete",)"
      R"("type":"JettisonMemoryPressure"}]}}')");
  EXPECT_EQ(patch.status, 0) << patch.output;
  EXPECT_THAT(Ask("get node bed -o yaml"), Not(HasSubstr("ettison")));
}

}  // namespace
}  // namespace jettison::kube
