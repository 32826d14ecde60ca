#pragma once

#include <gmock/gmock.h>

#include <chrono>
#include <csignal>
#include <map>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "kernel/files/files.h"
#include "kernel/files/paths.h"
#include "kernel/files/testing/temporary_folder.h"
#include "kernel/groups/layout/testing/plain_plan.h"
#include "kernel/groups/testing/few_descriptors.h"
#include "pods/testing/event_reader.h"
#include "ports/cgroups.h"
#include "ports/clock.h"
#include "ports/fakes/fake_cgroups.h"
#include "runtimes/process/process_runtime.h"
#include "runtimes/process/runs/run_record.h"

namespace jettison::process {

// The machine's clock, which is what shims stamp with.
class SystemClock : public Clock {
 public:
  [[nodiscard]] Instant Now() const override {
    return Instant(Wall().time_since_epoch() - wall_ahead);
  }
  [[nodiscard]] WallTime Wall() const override {
    return WallTime(std::chrono::system_clock::now().time_since_epoch());
  }
  [[nodiscard]] TimeMark Mark() const override { return {.wall = Wall()}; }

  // How far real time has been set forward since the agent's own time began.
  Duration wall_ahead{0};
};

// A pod of one container that runs a shell script.
inline Pod ShellPod(const std::string& uid, const std::string& script) {
  Pod pod;
  pod.name = "pod-" + uid;
  pod.uid = uid;
  pod.containers.resize(1);
  pod.containers[0].name = "main";
  pod.containers[0].command = {"/bin/sh", "-c", script};
  return pod;
}

// A process runtime over given control groups, in a folder of its own, and what tests ask of it.
class RuntimeBed {
 public:
  // Pods are written down as their UID; `known` says what each means.
  RuntimeBed(Cgroups& cgroups, std::string root) : cgroups_(cgroups), root_(std::move(root)) {}

  [[nodiscard]] ProcessRuntimeOptions Options() {
    return {{.root = root_,
             .written_pods = std::make_shared<kernel::PodsByUid>(known),
             .log_max_bytes = log_max_bytes,
             .log_period = std::chrono::milliseconds(10),
             .path_patience = path_patience,
             .disk_thread = disk_thread,
             .log = [this](std::string_view message) { logged.emplace_back(message); }},
            shim};
  }

  void Open() {
    auto opened = OpenProcessRuntime(Options(), cgroups_, cgroups_, clock_);
    ASSERT_TRUE(opened) << opened.error().message;
    runtime_ = std::move(*opened);
  }
  void Close() { runtime_.reset(); }
  [[nodiscard]] SystemClock& clock() { return clock_; }
  void Use(std::unique_ptr<ContainerRuntime> runtime) { runtime_ = std::move(runtime); }
  [[nodiscard]] ContainerRuntime& runtime() { return *runtime_; }

  // Collects events until one of this type about this pod (and container) has come.
  template <typename Event>
  [[nodiscard]] const Event* Await(const std::string& uid,
                                   std::chrono::milliseconds timeout = std::chrono::seconds(10)) {
    return events_.Await<Event>(*runtime_, uid, timeout);
  }
  // The same; where none comes, the test ends as failed.
  template <typename Event>
  [[nodiscard]] const Event& Need(const std::string& uid) {
    const Event* const event = Await<Event>(uid);
    if (event == nullptr) throw std::runtime_error("the event of pod " + uid + " does not come");
    return *event;
  }
  [[nodiscard]] bool AwaitGone(const std::string& path) {
    return events_.AwaitGone(*runtime_, path);
  }
  // Creates the pod and waits until it stands.
  [[nodiscard]] bool Create(const Pod& pod) {
    known[pod.uid] = pod;
    runtime_->CreatePod(kernel::PlainPlan(pod));
    return Await<PodReady>(pod.uid) != nullptr;
  }
  // Requests a pod that cannot be made.
  [[nodiscard]] const PodFailed& CreateFails(const Pod& pod) {
    runtime_->CreatePod(kernel::PlainPlan(pod));
    return Need<PodFailed>(pod.uid);
  }
  // Creates it, and starts its container "main".
  [[nodiscard]] bool Start(const Pod& pod) {
    if (!Create(pod)) return false;
    runtime_->StartContainer(pod.uid, "main", 0, 0);
    return Await<ContainerStarted>(pod.uid) != nullptr;
  }
  // Creates it and runs its container "main" to the end.
  [[nodiscard]] const ContainerExited* Run(const Pod& pod) {
    if (!Create(pod)) return nullptr;
    runtime_->StartContainer(pod.uid, "main", 0, 0);
    return Await<ContainerExited>(pod.uid);
  }
  [[nodiscard]] bool Remove(const std::string& uid) {
    runtime_->RemovePod(uid);
    return Await<PodRemoved>(uid) != nullptr;
  }
  // The log of a run, without the times.
  [[nodiscard]] std::string LogOf(const Pod& pod, int attempt = 0,
                                  const std::string& container = "main") const {
    std::string text;
    std::string rest = kernel::ReadFile(paths().Log(pod, container, attempt)).value_or("no log\n");
    for (std::size_t end = 0; (end = rest.find('\n')) != std::string::npos;) {
      text += end > 31 ? rest.substr(31, end - 30) : rest.substr(0, end + 1);
      rest.erase(0, end + 1);
    }
    return text;
  }
  [[nodiscard]] kernel::Paths paths() const { return kernel::Paths(root_); }

  std::string shim = JETTISON_SHIM;
  std::map<std::string, Pod> known;
  std::vector<std::string> logged;
  std::optional<std::int64_t> log_max_bytes;
  Duration path_patience = std::chrono::seconds(10);
  std::shared_ptr<DiskThread> disk_thread;  // null: the disk is fast, and nothing hangs

 private:
  Cgroups& cgroups_;
  std::string root_;
  SystemClock clock_;
  std::unique_ptr<ContainerRuntime> runtime_;
  EventReader events_;
};

// Of the burstable pod "u".
inline const std::string kGroup = "kubepods/burstable/podu";

// The runtime with real processes over control groups in memory, which pass signals on.
class ProcessRuntimeTest : public testing::Test {
 protected:
  void SetUp() override {
    cgroups_.OnSignal([](pid_t pid, int signal) { ::kill(pid, signal); });
    bed_.Open();
  }
  void TearDown() override {
    for (const auto& [uid, pod] : bed_.known) EXPECT_TRUE(bed_.Remove(uid));
  }

  FakeCgroups cgroups_;
  kernel::TemporaryFolder folder_;
  RuntimeBed bed_{cgroups_, folder_.path()};
};

}  // namespace jettison::process
