#pragma once

#include <gtest/gtest.h>
#include <poll.h>

#include <chrono>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "kernel/files/files.h"
#include "kernel/files/paths.h"
#include "kernel/files/testing/temporary_folder.h"
#include "kernel/groups/layout/testing/plain_plan.h"
#include "ports/cgroups.h"
#include "ports/clock.h"
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
    const auto deadline = std::chrono::steady_clock::now() + timeout;
    for (;;) {
      for (; seen_ < events_.size(); ++seen_) {
        const auto* event = std::get_if<Event>(&events_[seen_]);
        if (event == nullptr || event->pod_uid != uid) continue;
        ++seen_;
        return event;
      }
      const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(
          deadline - std::chrono::steady_clock::now());
      if (left.count() <= 0) return nullptr;
      pollfd ready{.fd = runtime_->EventFd(), .events = POLLIN, .revents = 0};
      (void)::poll(&ready, 1, static_cast<int>(left.count()));
      for (RuntimeEvent& event : runtime_->TakeEvents()) {
        events_.push_back(std::move(event));
      }
    }
  }

  // Lets the runtime work until nothing is at the path.
  [[nodiscard]] bool AwaitGone(const std::string& path) {
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(10);
    while (kernel::Exists(path) && std::chrono::steady_clock::now() < deadline) {
      pollfd ready{.fd = runtime_->EventFd(), .events = POLLIN, .revents = 0};
      (void)::poll(&ready, 1, 100);
      for (RuntimeEvent& event : runtime_->TakeEvents()) events_.push_back(std::move(event));
    }
    return !kernel::Exists(path);
  }

  // Creates the pod and waits until it stands.
  [[nodiscard]] bool Create(const Pod& pod) {
    known[pod.uid] = pod;
    runtime_->CreatePod(kernel::PlainPlan(pod));
    return Await<PodReady>(pod.uid) != nullptr;
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
  std::deque<RuntimeEvent> events_;  // a deque: what Await answers stays where it is
  std::size_t seen_ = 0;
};

}  // namespace jettison::process
