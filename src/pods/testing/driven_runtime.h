#pragma once

#include <gtest/gtest.h>
#include <poll.h>

#include <chrono>
#include <deque>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "kernel/files/files.h"
#include "kernel/groups/layout/testing/plain_plan.h"
#include "ports/container_runtime.h"

namespace jettison {

// A runtime of a test: what is asked of it, and what it reports. A bed opens the runtime. Pods are
// written down as their UID; `known` says what each means.
class DrivenRuntime {
 public:
  [[nodiscard]] ContainerRuntime& runtime() { return *runtime_; }
  void Close() { runtime_.reset(); }

  // Waits until an event of this type about this pod (without UID: any) has come; null when none
  // does in time. What it answers stays where it is.
  template <typename Event>
  [[nodiscard]] const Event* Await(const std::string& uid,
                                   std::chrono::milliseconds timeout = std::chrono::seconds(20)) {
    const auto deadline = std::chrono::steady_clock::now() + timeout;
    for (;;) {
      for (; seen_ < events_.size(); ++seen_) {
        const auto* event = std::get_if<Event>(&events_[seen_]);
        if (event == nullptr || (!uid.empty() && event->pod_uid != uid)) continue;
        ++seen_;
        return event;
      }
      const auto left =
          std::chrono::ceil<std::chrono::milliseconds>(deadline - std::chrono::steady_clock::now());
      if (left.count() <= 0) return nullptr;
      (void)Poll(static_cast<int>(left.count()));
      Collect();
    }
  }
  // The same; where none comes, the test ends as failed.
  template <typename Event>
  [[nodiscard]] const Event& Need(const std::string& uid) {
    const Event* const event = Await<Event>(uid);
    if (event == nullptr) throw std::runtime_error("no event of pod " + uid + ": " + Said());
    return *event;
  }
  // Await looks at those again that have come before.
  void Rewind() { seen_ = 0; }
  // Lets the runtime work until nothing more happens by itself.
  void Settle() {
    while (Poll(0)) Collect();
  }
  // The same until that is so; false: it is not in time.
  template <typename Condition>
  [[nodiscard]] bool Becomes(Condition condition,
                             std::chrono::seconds timeout = std::chrono::seconds(10)) {
    const auto deadline = std::chrono::steady_clock::now() + timeout;
    while (!condition()) {
      if (std::chrono::steady_clock::now() > deadline) return false;
      (void)Poll(5);
      Collect();
    }
    return true;
  }
  [[nodiscard]] bool AwaitGone(const std::string& path) {
    return Becomes([&] { return !kernel::Exists(path); });
  }

  // Creates the pod and waits until it stands.
  [[nodiscard]] testing::AssertionResult Create(const Pod& pod) {
    known[pod.uid] = pod;
    runtime().CreatePod(kernel::PlainPlan(pod, limits));
    return Await<PodReady>(pod.uid) != nullptr ? testing::AssertionSuccess() : Failure(pod.uid);
  }
  // Requests a pod that cannot be made.
  [[nodiscard]] const PodFailed& CreateFails(const Pod& pod) {
    runtime().CreatePod(kernel::PlainPlan(pod, limits));
    return Need<PodFailed>(pod.uid);
  }
  // Creates the pod, as often as that fails, until it stands; false: it does not in time.
  [[nodiscard]] bool CreateInTheEnd(const Pod& pod) {
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(30);
    while (std::chrono::steady_clock::now() < deadline) {
      runtime().CreatePod(kernel::PlainPlan(pod, limits));
      if (Await<PodReady>(pod.uid, std::chrono::milliseconds(100)) != nullptr) return true;
    }
    return false;
  }
  // Starts a container of a pod that stands.
  [[nodiscard]] testing::AssertionResult Start(const std::string& uid, const std::string& container,
                                               int attempt = 0) {
    runtime().StartContainer(uid, container, attempt, oom_score_adj);
    return Await<ContainerStarted>(uid) != nullptr ? testing::AssertionSuccess() : Failure(uid);
  }
  // Creates the pod and starts its container "main".
  [[nodiscard]] testing::AssertionResult Start(const Pod& pod) {
    const auto created = Create(pod);
    return created ? Start(pod.uid, "main") : created;
  }
  // Creates it and runs its container "main" to the end.
  [[nodiscard]] const ContainerExited* Run(const Pod& pod) {
    if (!Create(pod)) return nullptr;
    runtime().StartContainer(pod.uid, "main", 0, oom_score_adj);
    return Await<ContainerExited>(pod.uid);
  }
  [[nodiscard]] bool Remove(const std::string& uid) {
    runtime().RemovePod(uid);
    return Await<PodRemoved>(uid) != nullptr;
  }
  // What the runtime has logged.
  [[nodiscard]] std::string Said() const {
    std::string text;
    for (const std::string& line : logged) text += line + "\n";
    return text;
  }

  std::map<std::string, Pod> known;
  std::vector<std::string> logged;
  kernel::LimitSettings limits;
  int oom_score_adj = 0;

 protected:
  std::unique_ptr<ContainerRuntime> runtime_;

 private:
  // Whether something has happened.
  [[nodiscard]] bool Poll(int ms) {
    pollfd ready{.fd = runtime().EventFd(), .events = POLLIN, .revents = 0};
    return ::poll(&ready, 1, ms) == 1;
  }
  void Collect() {
    for (RuntimeEvent& event : runtime().TakeEvents()) events_.push_back(std::move(event));
  }
  [[nodiscard]] testing::AssertionResult Failure(const std::string& uid) const {
    return testing::AssertionFailure() << "pod " << uid << ": " << Said();
  }

  std::deque<RuntimeEvent> events_;
  std::size_t seen_ = 0;
};

}  // namespace jettison
