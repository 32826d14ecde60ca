#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "agent/workers/pod_worker.h"
#include "core/model/eviction.h"
#include "machine/log/event_log.h"
#include "machine/log/log.h"
#include "ports/fakes/fake_clock.h"
#include "ports/fakes/fake_runtime.h"

namespace jettison {

inline Container Named(const char* name) {
  Container container;
  container.name = name;
  return container;
}

inline Container Sidecar(const char* name) {
  Container container = Named(name);
  container.restart_policy = RestartPolicy::kAlways;
  return container;
}

inline Pod PodOf(std::vector<Container> init, std::vector<Container> containers) {
  Pod pod;
  pod.name = "web";
  pod.uid = "u";
  pod.init_containers = std::move(init);
  pod.containers = std::move(containers);
  return pod;
}

inline EvictionOrder OrderOf(std::int64_t grace) {
  return {.pod_uid = "u",
          .grace_period_seconds = grace,
          .message = "The node was low on resource: memory. ",
          .annotations = {},
          .disruption_target = true};
}

// A worker on a fake runtime; time and events move only when the test says so.
class Bench {
 public:
  explicit Bench(Pod pod, PodOrigin source = PodOrigin::kOwn)
      : facts_(Facts(std::move(pod), source)) {
    runtime.SetNow(now_);
  }

  Bench& Start() {
    worker.Start(now_);
    return Deliver();
  }
  // Hands over events until the runtime has no more to say.
  Bench& Deliver() {
    for (auto told = runtime.TakeEvents(); !told.empty(); told = runtime.TakeEvents()) {
      for (const RuntimeEvent& event : told) worker.Handle(event, now_);
    }
    return *this;
  }
  Bench& Pass(Duration time) {
    now_ += time;
    runtime.SetNow(now_);
    worker.Advance(now_);
    return Deliver();
  }
  Bench& Exit(const char* container, int code, bool oom_killed = false) {
    runtime.Exit("u", container, code, oom_killed);
    return Deliver();
  }
  std::vector<std::string> Commands() { return runtime.TakeCommands(); }
  PodStatus Status() { return worker.Status(now_); }
  std::vector<std::string> Reasons() {
    std::vector<std::string> reasons;
    for (const LoggedEvent& event : events.events()) reasons.push_back(event.event.reason);
    return reasons;
  }
  [[nodiscard]] Instant now() const { return now_; }

  FakeRuntime runtime;

 private:
  static SharedPodFacts Facts(Pod pod, PodOrigin source) {
    PodFacts facts = FactsOf(std::move(pod), Profile::kStandalone);
    facts.source = source;
    return std::make_shared<const PodFacts>(std::move(facts));
  }

  Instant now_{std::chrono::hours(1)};
  FakeClock clock_;
  SharedPodFacts facts_;

 public:
  Log log{LogFormat::kText, clock_, [](std::string_view) {}};
  EventLog events{log, 100};
  WorkerDependencies dependencies{runtime, events, log, 1 << 30};
  PodWorker worker{facts_, dependencies};
};

}  // namespace jettison
