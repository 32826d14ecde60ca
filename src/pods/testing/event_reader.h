#pragma once

#include <poll.h>

#include <chrono>
#include <deque>
#include <string>
#include <utility>
#include <variant>

#include "kernel/files/files.h"
#include "kernel/groups/layout/testing/plain_plan.h"
#include "ports/container_runtime.h"

namespace jettison {

// Collects the events of a runtime.
class EventReader {
 public:
  // Waits until one of this type about this pod (without UID: any) has come; null when none does in
  // time. What it answers stays where it is.
  template <typename Event>
  [[nodiscard]] const Event* Await(ContainerRuntime& runtime, const std::string& uid,
                                   std::chrono::milliseconds timeout = std::chrono::seconds(10)) {
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
      pollfd ready{.fd = runtime.EventFd(), .events = POLLIN, .revents = 0};
      (void)::poll(&ready, 1, static_cast<int>(left.count()));
      Collect(runtime);
    }
  }
  void Collect(ContainerRuntime& runtime) {
    for (RuntimeEvent& event : runtime.TakeEvents()) events_.push_back(std::move(event));
  }
  // Creates the pod, as often as that fails, until it stands; false: it does not in time.
  [[nodiscard]] bool CreateInTheEnd(ContainerRuntime& runtime, const Pod& pod) {
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(30);
    while (std::chrono::steady_clock::now() < deadline) {
      runtime.CreatePod(kernel::PlainPlan(pod));
      for (bool failed = false; !failed && std::chrono::steady_clock::now() < deadline;) {
        pollfd ready{.fd = runtime.EventFd(), .events = POLLIN, .revents = 0};
        (void)::poll(&ready, 1, 100);
        Collect(runtime);
        for (; seen_ < events_.size(); ++seen_) {
          if (std::holds_alternative<PodReady>(events_[seen_])) return true;
          failed = failed || std::holds_alternative<PodFailed>(events_[seen_]);
        }
      }
    }
    return false;
  }
  // Lets the runtime work until nothing is at the path.
  [[nodiscard]] bool AwaitGone(ContainerRuntime& runtime, const std::string& path) {
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(10);
    while (kernel::Exists(path) && std::chrono::steady_clock::now() < deadline) {
      pollfd ready{.fd = runtime.EventFd(), .events = POLLIN, .revents = 0};
      (void)::poll(&ready, 1, 100);
      Collect(runtime);
    }
    return !kernel::Exists(path);
  }
  // Until nothing more happens by itself.
  void Settle(ContainerRuntime& runtime) {
    pollfd ready{.fd = runtime.EventFd(), .events = POLLIN, .revents = 0};
    while (::poll(&ready, 1, 0) == 1) Collect(runtime);
  }
  [[nodiscard]] std::size_t count() const { return events_.size(); }
  // Await looks at those again that have come before.
  void Rewind() { seen_ = 0; }

 private:
  std::deque<RuntimeEvent> events_;
  std::size_t seen_ = 0;
};

}  // namespace jettison
