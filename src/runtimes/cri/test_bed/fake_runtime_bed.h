#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "containers/cri_container.h"
#include "kernel/files/files.h"
#include "kernel/files/own_folders.h"
#include "kernel/files/testing/temporary_folder.h"
#include "machine/pods/pods_of_node.h"
#include "pods/testing/driven_runtime.h"
#include "ports/fakes/fake_cgroups.h"
#include "ports/fakes/fake_clock.h"
#include "runtimes/cri/runtime.h"
#include "runtimes/cri/test_bed/fake_containerd.h"

namespace jettison::cri {

// A pod of one container.
inline Pod SimplePod(const std::string& uid) {
  Pod pod;
  pod.name = "pod-" + uid;
  pod.uid = uid;
  pod.containers.resize(1);
  pod.containers[0].name = "main";
  pod.containers[0].image = "bed.local/tiny:1";
  return pod;
}

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

// The CRI runtime over the fakes, with foreign pods.
class FakeRuntimeBed : public DrivenRuntime {
 public:
  FakeRuntimeBed() { Open(); }

  // Begins anew, as a restarted agent does.
  void Open() {
    Close();
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
    runtime_ = std::move(*all);
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

  // Removes the pod and looks for what is left of it.
  void TakeDown(const std::string& uid) {
    ASSERT_TRUE(Remove(uid));
    ExpectNothingLeft(uid);
  }
  // Runs the pod "u" of two containers, "main" and "other".
  [[nodiscard]] Pod RunTwo(int attempt_of_other = 0) {
    Pod pod = SimplePod("u");
    pod.containers.push_back(pod.containers[0]);
    pod.containers[1].name = "other";
    EXPECT_TRUE(Start(pod) && Start("u", "other", attempt_of_other));
    return pod;
  }
  // Waits until a pod of an earlier agent is taken over. Until then it may be guarded as a foreign
  // one, which is reported with an event of the same type. What was reported first; null: nothing
  // in time.
  [[nodiscard]] const PodFound* AwaitTakeover(const std::string& uid) {
    const auto* const first = Await<PodFound>(uid);
    const auto* found = first;
    while (found != nullptr && !runtime().ForeignGroupsOf(uid).empty())
      found = Await<PodFound>(uid);
    return found == nullptr ? nullptr : first;
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
  Duration path_patience = std::chrono::seconds(10);
  std::shared_ptr<DiskThread> disk_thread;  // null: the disk is fast, and nothing hangs

 private:
  kernel::TemporaryFolder folder_;
};

// For tests of the whole runtime over fakes.
class CriRuntime : public testing::Test {
 protected:
  [[nodiscard]] ContainerRuntime& runtime() { return bed_.runtime(); }
  [[nodiscard]] FakeContainerd& containerd() { return bed_.containerd; }
  [[nodiscard]] ContainerStartFailed StartFails(const Pod& pod) {
    EXPECT_TRUE(bed_.Create(pod));
    return StartFails(pod.uid, 0);
  }
  [[nodiscard]] ContainerStartFailed StartFails(const std::string& uid, int attempt) {
    runtime().StartContainer(uid, "main", attempt, 0);
    return bed_.Need<ContainerStartFailed>(uid);
  }

  FakeRuntimeBed bed_;
};

}  // namespace jettison::cri
