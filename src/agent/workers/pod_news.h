#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "agent/workers/container_runs.h"
#include "agent/workers/worker_dependencies.h"
#include "core/model/eviction_order.h"
#include "core/model/pod.h"
#include "view/pod_status.h"

namespace jettison {

// The progress of a pod, from which its status is made.
struct PodCourse {
  const ContainerRuns& runs;
  RestartPolicy restart_policy = RestartPolicy::kAlways;
  bool initialized = false;                 // every init container has done its part
  bool up = false;                          // it is neither being made nor ending
  bool recalled = false;                    // only those containers are known that run
  const EvictionOrder* eviction = nullptr;  // null: it was not evicted
  std::optional<bool> ended_well = {};      // it has ended by itself: whether it succeeded
  std::string_view problem = {};            // why it cannot be made
};

// An evicted pod counts as Failed from the decision on, however its containers end.
[[nodiscard]] PodPhase PhaseOf(const PodCourse& course);

// The status of a pod that is told; its conditions remember when they last changed.
class ReportedStatus {
 public:
  // The pod was admitted, or found; the first time counts.
  void Begin(Instant now);
  // Whenever the course may have changed.
  void Update(const PodCourse& course, Instant now);

  // Present after Begin.
  [[nodiscard]] std::optional<Instant> start_time() const { return start_time_; }
  [[nodiscard]] PodStatus At(const PodCourse& course, Instant now) const;

 private:
  std::optional<Instant> start_time_;
  PodStatus conditions_;  // only its conditions
};

// What the events, the log and the counters say of one pod while it runs.
class PodNews {
 public:
  // Both must outlive this.
  PodNews(const Pod& pod, WorkerDependencies& dependencies)
      : pod_(&pod), dependencies_(&dependencies) {}

  void CreateFailed(const std::string& why, Instant now) const;
  void Started(const ContainerStarted& event, Instant now) const;
  void StartFailed(const ContainerStartFailed& event, bool is_init, Instant now) const;
  void Exited(const ContainerExited& event) const;
  void BacksOff(const std::string& container, Instant now) const;
  void KillIsLate(Instant now) const;

 private:
  void Report(EventType type, const char* reason, std::string message, Instant now) const;

  const Pod* pod_;
  WorkerDependencies* dependencies_;
};

}  // namespace jettison
