#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <map>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "containers/cri_container.h"
#include "kernel/files/files.h"
#include "kernel/files/own_folders.h"
#include "kernel/files/testing/temporary_folder.h"
#include "kernel/groups/layout/testing/plain_plan.h"
#include "machine/pods/pods_of_node.h"
#include "pods/testing/event_reader.h"
#include "ports/fakes/fake_cgroups.h"
#include "ports/fakes/fake_clock.h"
#include "runtimes/cri/containers/testing/plain_pod.h"
#include "runtimes/cri/runtime.h"
#include "runtimes/cri/test_bed/fake_containerd.h"

namespace jettison::cri {

// Writes down what is asked of a service manager.
class FakeSlices : public Slices {
 public:
  explicit FakeSlices(std::vector<std::string>& asked) : asked_(asked) {}
  [[nodiscard]] Result<void> Start(const std::string& slice, const CgroupLimits& limits,
                                   Deadline) const override {
    asked_.push_back("start " + slice + " " + std::to_string(limits.memory_bytes.value_or(0)));
    return {};
  }
  [[nodiscard]] Result<void> Stop(const std::string& slice, Deadline) const override {
    asked_.push_back("stop " + slice);
    return {};
  }

 private:
  std::vector<std::string>& asked_;
};

// The CRI runtime over the fakes, and what tests ask of it.
class FakeRuntimeBed {
 public:
  FakeRuntimeBed() { Open(); }

  // Begins anew, as a restarted agent does.
  void Open() {
    runtime.reset();
    containerd.cgroup_prefix = cgroup_prefix;
    auto connected = containerd.Connect();
    calls = connected.get();
    auto lock = kernel::OpenRootFolders(kernel::Paths(root()), kernel::kCriPodMarks);
    ASSERT_TRUE(lock) << lock.error().message;
    // Several runtimes use it, one after the other.
    const std::shared_ptr<Processes> processes(std::shared_ptr<void>(), &containerd.processes);
    RuntimeDependencies dependencies{.calls = std::move(connected),
                                     .processes = processes,
                                     .readiness = std::move(*kernel::Readiness::Create()),
                                     .lock = std::move(*lock)};
    if (cgroup_driver == CgroupDriver::kSystemd) {
      dependencies.slices = std::make_shared<FakeSlices>(asked_of_systemd);
    }
    const CriRuntimeOptions options = Options();
    auto all = WithForeignPods(
        std::make_unique<Runtime>(std::move(dependencies), options, cgroups, cgroups, clock),
        {.calls = *calls,
         .options = options,
         .adopt = adopt_foreign,
         .processes = processes,
         .cgroups = cgroups,
         .group_end = cgroups,
         .clock = clock});
    ASSERT_TRUE(all) << all.error().message;
    runtime = std::move(*all);
  }
  [[nodiscard]] CriRuntimeOptions Options() {
    CriRuntimeOptions options{
        {.root = root(),
         .written_pods = std::make_shared<kernel::PodsByUid>(known),
         .cgroup_driver = cgroup_driver,
         .log_max_bytes = log_max_bytes,
         .log_max_files = 3,
         .log_period = std::chrono::milliseconds(10),
         .path_patience = path_patience,
         .disk_thread = disk_thread,
         .log = [this](std::string_view message) { logged.emplace_back(message); }},
        cgroup_prefix};
    options.relist_period = relist_period;
    return options;
  }
  [[nodiscard]] const std::string& root() const { return folder_.path(); }

  template <typename Event>
  [[nodiscard]] const Event* Await(const std::string& uid,
                                   std::chrono::milliseconds timeout = std::chrono::seconds(10)) {
    return events.Await<Event>(*runtime, uid, timeout);
  }
  // The same; where none comes, the test ends as failed.
  template <typename Event>
  [[nodiscard]] const Event& Need(const std::string& uid) {
    const Event* const event = Await<Event>(uid);
    if (event == nullptr) throw std::runtime_error("the event of pod " + uid + " does not come");
    return *event;
  }
  [[nodiscard]] bool Create(const Pod& pod) {
    known[pod.uid] = pod;
    runtime->CreatePod(kernel::PlainPlan(pod));
    return Await<PodReady>(pod.uid) != nullptr;
  }
  // Lets the runtime work until that is so; false: it is not in time.
  template <typename Condition>
  [[nodiscard]] bool Becomes(Condition condition) {
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(10);
    while (!condition()) {
      if (std::chrono::steady_clock::now() > deadline) return false;
      (void)Await<PodRemoved>("nobody", std::chrono::milliseconds(5));
    }
    return true;
  }
  // Requests a pod that cannot be made.
  [[nodiscard]] const PodFailed& CreateFails(const Pod& pod) {
    runtime->CreatePod(kernel::PlainPlan(pod));
    return Need<PodFailed>(pod.uid);
  }
  // Removes the pod and looks for what is left of it.
  void TakeDown(const std::string& uid) {
    ASSERT_TRUE(Remove(uid));
    ExpectNothingLeft(uid);
  }
  // Starts a container of a pod that stands.
  [[nodiscard]] bool Start(const std::string& uid, const std::string& container, int attempt = 0) {
    runtime->StartContainer(uid, container, attempt, 0);
    return Await<ContainerStarted>(uid) != nullptr;
  }
  // Runs the pod "u" of two containers, "main" and "other", and returns it.
  [[nodiscard]] Pod RunTwo() {
    Pod pod = SimplePod("u");
    pod.containers.push_back(pod.containers[0]);
    pod.containers[1].name = "other";
    EXPECT_TRUE(Run(pod) && Start("u", "other"));
    return pod;
  }
  // Waits until a pod of an earlier agent is taken over. Until then it may be guarded as a foreign
  // one, which is reported with an event of the same type. What was reported first; null: nothing
  // in time.
  [[nodiscard]] const PodFound* AwaitTakeover(const std::string& uid) {
    const auto* const first = Await<PodFound>(uid);
    const auto* found = first;
    while (found != nullptr && !runtime->ForeignGroupsOf(uid).empty()) found = Await<PodFound>(uid);
    return found == nullptr ? nullptr : first;
  }
  // Creates the pod and starts its container "main".
  [[nodiscard]] bool Run(const Pod& pod) {
    if (!Create(pod)) return false;
    runtime->StartContainer(pod.uid, "main", 0, 0);
    return Await<ContainerStarted>(pod.uid) != nullptr;
  }
  [[nodiscard]] bool Remove(const std::string& uid) {
    runtime->RemovePod(uid);
    return Await<PodRemoved>(uid) != nullptr;
  }
  // Nothing of any pod is left: in the runtime, on the disk, in the groups.
  void ExpectNothingLeft(const std::string& uid) {
    EXPECT_TRUE(containerd.boxes.empty());
    EXPECT_TRUE(containerd.runs.empty());
    EXPECT_FALSE(cgroups.Exists("kubepods/burstable/pod" + uid));
    EXPECT_THAT(*kernel::NamesIn(root() + "/pods"), testing::IsEmpty());
    EXPECT_THAT(*kernel::NamesIn(root() + "/logs"), testing::IsEmpty());
  }

  FakeCgroups cgroups;
  FakeClock clock{Instant(std::chrono::seconds(100))};
  FakeContainerd containerd{cgroups};
  FakeCalls* calls = nullptr;
  Duration relist_period = std::chrono::hours(1);
  bool adopt_foreign = false;
  CgroupDriver cgroup_driver = CgroupDriver::kCgroupfs;
  std::vector<std::string> asked_of_systemd;
  std::optional<std::int64_t> log_max_bytes;
  std::string cgroup_prefix;
  std::map<std::string, Pod> known;
  std::vector<std::string> logged;
  Duration path_patience = std::chrono::seconds(10);
  std::shared_ptr<DiskThread> disk_thread;  // null: the disk is fast, and nothing hangs
  EventReader events;
  std::unique_ptr<ContainerRuntime> runtime;  // with foreign pods

 private:
  kernel::TemporaryFolder folder_;
};

// For tests of the whole runtime over fakes.
class CriRuntime : public testing::Test {
 protected:
  [[nodiscard]] ContainerRuntime& runtime() { return *bed_.runtime; }
  [[nodiscard]] FakeContainerd& containerd() { return bed_.containerd; }
  [[nodiscard]] const ContainerStartFailed* StartFails(const Pod& pod) {
    if (!bed_.Create(pod)) return nullptr;
    runtime().StartContainer(pod.uid, "main", 0, 0);
    return bed_.Await<ContainerStartFailed>(pod.uid);
  }

  FakeRuntimeBed bed_;
};

}  // namespace jettison::cri
