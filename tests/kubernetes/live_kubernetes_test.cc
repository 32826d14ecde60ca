// The client on a real control plane, kubelet and container runtime.

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <map>
#include <memory>
#include <string>

#include "ports/fakes/fake_clock.h"
#include "sources/kubernetes/calls/call_complaints.h"
#include "sources/kubernetes/calls/object_calls.h"
#include "sources/kubernetes/client/api_client.h"
#include "sources/kubernetes/client/pod_watch.h"
#include "tests/kubernetes/live_control_plane.h"
#include "tests/live/program.h"

namespace jettison::kube {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr auto kClientPatience = seconds(60);

std::string PodManifest(const std::string& name) {
  return fmt::format(
      "apiVersion: v1\nkind: Pod\nmetadata: {{name: {0}, labels: {{app: {0}}}}}\nspec:\n"
      "  hostNetwork: true\n  automountServiceAccountToken: false\n"
      "  terminationGracePeriodSeconds: 1\n"
      "  containers: [{{name: c, image: 'bed.local/app:1', args: [pause]}}]\n",
      name);
}

WallTime WallNow() {
  return WallTime(std::chrono::system_clock::now().time_since_epoch());
}

class LiveKubernetes : public LiveSharedControlPlane {
 protected:
  void SetUp() override {
    if (!plane_.missing().empty()) GTEST_SKIP() << plane_.missing();
    Connect(plane_.agent());
  }
  void Connect(const std::string& kubeconfig) {
    watch_.reset();
    const AccessReading access = AccessByKubeconfig(kubeconfig);
    ASSERT_TRUE(access.faults.empty()) << DescribeAll(access.faults);
    Connect(access.access);
  }
  void Connect(const ApiAccess& access) {
    auto client = ApiClient::Open(access, clock_);
    ASSERT_TRUE(client) << client.error().message;
    client_ = std::move(*client);
  }
  void Follow() {
    watch_ = std::make_unique<PodWatch>(
        *client_, clock_, "bed", [] { return 0.0; },
        PodWatch::Listeners{.on_pod = [this](const ApiPod& pod) { pods_[pod.head.name] = pod; },
                            .on_gone = [this](const ObjectHead& head) { pods_.erase(head.name); }});
  }
  template <typename Condition>
  [[nodiscard]] bool TurnUntil(Condition condition) {
    const auto deadline = std::chrono::steady_clock::now() + kClientPatience;
    while (!condition()) {
      if (std::chrono::steady_clock::now() > deadline) return false;
      // Pauses are stepped over, but for a little: the server is one of this machine.
      if (const auto pause = watch_->Advance()) clock_.Advance(*pause);
      client_->Turn(milliseconds(50));
    }
    return true;
  }
  [[nodiscard]] bool IsRunning(const std::string& name) {
    const auto at = pods_.find(name);
    return at != pods_.end() && !at->second.containers.empty() && at->second.phase == "Running";
  }
  [[nodiscard]] Result<ApiReply> Ask(const ApiCall& call) {
    return AskNow(*client_, call, seconds(20));
  }
  [[nodiscard]] Outcome OutcomeFor(const ApiCall& call) { return OutcomeOf(Ask(call)); }
  // A pod that runs, as the watch tells it.
  void Run(const std::string& name) {
    const Ran applied = plane_.Apply(PodManifest(name));
    ASSERT_EQ(applied.status, 0) << applied.output;
    ASSERT_TRUE(TurnUntil([&] { return IsRunning(name); }));
  }

  FakeClock clock_{Instant(std::chrono::hours(500'000))};
  std::unique_ptr<ApiClient> client_;
  std::unique_ptr<PodWatch> watch_;
  std::map<std::string, ApiPod> pods_;
};

TEST_F(LiveKubernetes, PodsComeChangeAndGoAndAllOfItGoesOverOneConnection) {
  Follow();
  Run("one");
  const ApiPod& pod = pods_.at("one");
  EXPECT_EQ(pod.pod.status_qos_class, QosClass::kBestEffort);
  EXPECT_EQ(pod.containers[0].id.size(), 64U);
  EXPECT_TRUE(pod.faults.empty()) << DescribeAll(pod.faults);
  const Ran changed = plane_.Kubectl("annotate pod one a=b");
  ASSERT_EQ(changed.status, 0) << changed.output;
  ASSERT_TRUE(TurnUntil([&] { return pods_.at("one").pod.annotations.contains("a"); }));
  for (int i = 0; i < 5; ++i) EXPECT_EQ(ReadVersion(Ask(GetVersion())), "v1.36.2");
  const Ran sockets =
      RunShell(fmt::format("ss -Htnp state established | grep -c pid={},", ::getpid()));
  EXPECT_EQ(sockets.output, "1\n");
  ASSERT_EQ(plane_.Kubectl("delete pod one --wait=false").status, 0);
  ASSERT_TRUE(TurnUntil([&] { return !pods_.contains("one"); }));
  EXPECT_EQ(watch_->state().fault, std::nullopt);
}

TEST_F(LiveKubernetes, TheNodeIsTaintedAndSaysSoBesideWhatOthersSay) {
  Connect(plane_.admin());
  const auto stale = ReadApiNode(Ask(GetNode("bed"))->body);
  ASSERT_TRUE(stale) << stale.error().message;
  ASSERT_EQ(plane_.Kubectl("taint node bed foreign=x:PreferNoSchedule").status, 0);
  const auto change = [&](bool present) {
    const auto node = ReadApiNode(Ask(GetNode("bed"))->body);
    const TaintWish wish = {.key = "jettison.io/memory-pressure", .present = present};
    return OutcomeFor(ChangeTaint(node.value(), wish).value());
  };
  EXPECT_EQ(OutcomeFor(ChangeTaint(*stale, {.key = "jettison.io/memory-pressure"}).value()).result,
            CallResult::kConflict);
  EXPECT_TRUE(change(true).ok());
  const NodeCondition condition = {.type = "JettisonMemoryPressure",
                                   .holds = true,
                                   .reason = "JettisonHasInsufficientMemory",
                                   .message = "m",
                                   .heartbeat = WallNow(),
                                   .transition = WallNow()};
  EXPECT_TRUE(OutcomeFor(SetNodeConditions("bed", {condition})).ok());
  const std::string under = plane_.Kubectl("describe node bed").output;
  EXPECT_THAT(under, AllOf(HasSubstr("foreign=x:PreferNoSchedule"),
                           HasSubstr("jettison.io/memory-pressure:NoSchedule"),
                           HasSubstr("JettisonHasInsufficientMemory"), HasSubstr("KubeletReady")));
  EXPECT_TRUE(change(false).ok());
  EXPECT_TRUE(OutcomeFor(RemoveNodeConditions("bed", {condition.type})).ok());
  const std::string after = plane_.Kubectl("describe node bed").output;
  EXPECT_THAT(after, AllOf(HasSubstr("foreign=x:PreferNoSchedule"), Not(HasSubstr("ettison")),
                           HasSubstr("KubeletReady")));
  EXPECT_EQ(plane_.Kubectl("taint node bed foreign-").status, 0);
  const auto kubelet = ReadKubeletConfiguration(Ask(GetKubeletConfiguration("bed"))->body);
  ASSERT_TRUE(kubelet) << kubelet.error().message;
  EXPECT_NE(kubelet->Find("evictionHard"), nullptr);
}

TEST_F(LiveKubernetes, ARestartOfTheApiServerIsSurvivedAndWhatVanishedIsTold) {
  Follow();
  Run("before");
  plane_.KillApiServer();
  ASSERT_TRUE(TurnUntil([&] { return watch_->state().away_since.has_value(); }));
  EXPECT_TRUE(pods_.contains("before"));
  const Ran again = plane_.StartAgain();
  ASSERT_EQ(again.status, 0) << again.output;
  // Nothing is taken in meanwhile.
  const Ran gone = plane_.Kubectl("delete pod before --timeout=60s");
  ASSERT_EQ(gone.status, 0) << gone.output;
  ASSERT_EQ(plane_.Apply(PodManifest("after")).status, 0);
  ASSERT_TRUE(TurnUntil([&] { return IsRunning("after") && !pods_.contains("before"); }));
  EXPECT_EQ(watch_->state().away_since, std::nullopt);
  EXPECT_EQ(watch_->state().fault, std::nullopt);
  EXPECT_EQ(plane_.Kubectl("delete pod after").status, 0);
}

}  // namespace
}  // namespace jettison::kube
