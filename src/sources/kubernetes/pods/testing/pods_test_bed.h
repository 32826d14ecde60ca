#pragma once

#include <gtest/gtest.h>
#include <poll.h>
#include <sys/eventfd.h>

#include <chrono>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "codec/documents/json.h"
#include "kernel/processes/fake_processes.h"
#include "pods/run_dependencies.h"
#include "ports/fakes/fake_cgroups.h"
#include "ports/fakes/fake_clock.h"
#include "sources/kubernetes/pods/kubernetes_source.h"

namespace jettison::kube {

// The object of a pod with one container "main", as an API server would have it.
struct PodJson {
  std::string uid;
  std::string container_id = {};  // empty: it does not run
  std::string owner = "ReplicaSet";
  std::string annotations = "{}";
  std::string phase = "Running";
  std::string memory = "10Mi";  // its request
  bool is_deleted = false;
  std::string security = "{}";  // the security context of the container

  [[nodiscard]] ApiPod Read() const {
    const std::string state = container_id.empty()
                                  ? R"({"waiting":{"reason":"CrashLoopBackOff"}})"
                                  : R"({"running":{"startedAt":"2026-01-01T00:00:00Z"}})";
    const std::string id =
        container_id.empty() ? "" : R"("containerID":"containerd://)" + container_id + R"(",)";
    const std::string text =
        R"({"metadata":{"name":"web-)" + uid + R"(","namespace":"default","uid":")" + uid +
        R"(","resourceVersion":"7",)" +
        (is_deleted ? R"("deletionTimestamp":"2026-01-01T00:00:00Z",)" : "") + R"("annotations":)" +
        annotations + R"(,"ownerReferences":[{"kind":")" + owner +
        R"(","name":"o","uid":"o","controller":true}]},
        "spec":{"nodeName":"bed","priority":5,"terminationGracePeriodSeconds":7,
        "containers":[{"name":"main","image":"x","securityContext":)" +
        security + R"(,"resources":{"requests":{"memory":")" + memory +
        R"("}}}],
        "volumes":[{"name":"scratch","emptyDir":{}},{"name":"shm","emptyDir":{"medium":"Memory"}}]},
        "status":{"phase":")" +
        phase + R"(","qosClass":"Burstable","containerStatuses":[
        {"name":"main",)" +
        id + R"("restartCount":2,"state":)" + state + "}]}}";
    const auto document = ParseJson(text);
    EXPECT_TRUE(document) << text;
    return *ReadApiPod(*document);
  }
};

// Tells what a test says.
class FakePodFeed : public PodFeed {
 public:
  void Follow(Listeners listeners) override { listeners_ = std::move(listeners); }
  [[nodiscard]] int fd() const override { return fd_.get(); }
  void Dispatch() override {}
  [[nodiscard]] bool IsComplete() const override { return true; }

  void Tell(const PodJson& pod) { listeners_.on_pod(pod.Read()); }
  void TellGone(const std::string& uid) {
    listeners_.on_gone(
        {.namespace_ = "default", .name = "web", .uid = uid, .resource_version = "8"});
  }
  void TellGivenUp(const std::string& uid) { listeners_.on_given_up(uid); }
  [[nodiscard]] std::vector<std::string> TakeHeldGroups() {
    std::vector<std::string> groups;
    for (FoundHeld& held : listeners_.take_held()) groups.push_back(std::move(held.group));
    return groups;
  }

 private:
  FileDescriptor fd_{::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)};
  Listeners listeners_;
};

// A source over a kubelet's tree of groups that a test grows.
class KubernetesSourceTest : public testing::Test {
 protected:
  static constexpr const char* kPods = "kubepods/burstable/pod";

  // A container of the pod runs as this process, beside its sandbox.
  void Run(const std::string& uid, const std::string& id, pid_t pid) {
    const std::string group = kPods + uid + "/" + id;
    if (sandboxes_.insert(uid).second) Start(kPods + uid + "/sandboxof" + uid, next_sandbox_++);
    Start(group, pid);
  }
  void Start(const std::string& group, pid_t pid) {
    ASSERT_TRUE(cgroups_.Create(group, {}));
    ASSERT_TRUE(cgroups_.Join(group, pid));
    processes_.Add(pid, "0::/kbed/" + group + "\n",
                   "1 2 0:1 / / rw - overlay overlay rw,upperdir=/l\n");
  }
  void End(pid_t pid) {
    processes_.End(pid, 9);
    cgroups_.ProcessExited(pid);
    Turn();
  }
  // Until something was found that nobody told of.
  [[nodiscard]] bool AwaitFound(std::size_t count) {
    return Await([&] { return found_.size() >= count; });
  }
  template <typename Condition>
  [[nodiscard]] bool Await(Condition condition) {
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    while (!condition()) {
      if (std::chrono::steady_clock::now() > deadline) return false;
      pollfd waiting{.fd = readiness_->fd(), .events = POLLIN, .revents = 0};
      ::poll(&waiting, 1, 1000);
      Turn();
    }
    return true;
  }
  // Whether no look by the clock is due within two intervals of such looks.
  [[nodiscard]] bool LooksAtNothing() {
    Turn();
    pollfd waiting{.fd = readiness_->fd(), .events = POLLIN, .revents = 0};
    return ::poll(&waiting, 1, 200) == 0;
  }
  // What the source's dependencies do in a turn of the loop.
  void Turn() {
    readiness_->Dispatch();
    roster_.Advance();
  }
  [[nodiscard]] std::vector<std::string> Removed() {
    std::vector<std::string> uids;
    for (const RuntimeEvent& event : std::exchange(dependencies_.events, {})) {
      if (const auto* removed = std::get_if<PodRemoved>(&event)) uids.push_back(removed->pod_uid);
    }
    return uids;
  }
  [[nodiscard]] std::vector<std::string> FoundUids() {
    std::vector<std::string> uids;
    for (const RuntimePod& pod : std::exchange(found_, {})) uids.push_back(pod.pod.uid);
    return uids;
  }

  std::set<std::string> sandboxes_;  // UIDs of pods that have theirs
  pid_t next_sandbox_ = 10'000;
  FakeProcesses processes_;
  FakeCgroups cgroups_;
  FakeClock clock_{Instant(std::chrono::hours(500'000))};
  std::unique_ptr<kernel::Readiness> readiness_ = *kernel::Readiness::Create();
  std::vector<std::string> logged_;
  RunDependencies dependencies_{
      .processes = processes_,
      .cgroups = cgroups_,
      .group_end = cgroups_,
      .clock = clock_,
      .readiness = *readiness_,
      .log = [this](std::string_view line) { logged_.emplace_back(line); }};
  std::vector<RuntimePod> found_;
  ForeignRoster roster_{dependencies_, [](const std::string&) { return false; },
                        [this](RuntimePod pod) { found_.push_back(std::move(pod)); }};
  FakePodFeed feed_;
  NodeGroups groups_{.processes = processes_, .cgroups = cgroups_, .prefix = "/kbed"};
  KubernetesSource source_{feed_, {dependencies_, groups_, roster_}, {}};
};

}  // namespace jettison::kube
