#include "agent/workers/told_status.h"

#include <algorithm>

namespace jettison {
namespace {

bool IsReady(const ContainerLifecycle& run) {
  return (run.is_init() && !run.IsSidecar()) || run.phase() == ContainerLifecycle::Phase::kRunning;
}

}  // namespace

// (kubelet: getPhase)
PodPhase PhaseOf(const PodCourse& course) {
  if (course.eviction != nullptr) return PodPhase::kFailed;
  if (course.ended_well) return *course.ended_well ? PodPhase::kSucceeded : PodPhase::kFailed;
  const bool runs =
      course.recalled ? course.runs.AnyRegularStarted() : course.runs.EveryRegularRan();
  return runs ? PodPhase::kRunning : PodPhase::kPending;
}

void ToldStatus::Begin(Instant now) {
  if (!start_time_) start_time_ = now;
}

void ToldStatus::Update(const PodCourse& course, Instant now) {
  const bool ready = course.up && std::ranges::all_of(course.runs.all(), IsReady);
  const auto set = [&](const char* type, bool value, const char* reason_if_not) {
    conditions_.Set({.type = type,
                     .status = value,
                     .reason = value ? "" : reason_if_not,
                     .message = {},
                     .last_transition = now});
  };
  if (course.eviction != nullptr && course.eviction->disruption_target) {
    conditions_.Set({.type = "DisruptionTarget",
                     .status = true,
                     .reason = "TerminationByKubelet",
                     .message = course.eviction->message,
                     .last_transition = now});
  }
  set("Initialized", course.initialized, "ContainersNotInitialized");
  set("ContainersReady", ready, "ContainersNotReady");
  set("Ready", ready, "ContainersNotReady");
}

PodStatus ToldStatus::At(const PodCourse& course, Instant now) const {
  PodStatus status;
  status.phase = PhaseOf(course);
  if (course.eviction != nullptr) {
    status.reason = course.eviction->reason;
    status.message = course.eviction->message;
  } else {
    status.message = course.problem;
  }
  status.conditions = conditions_.conditions;
  status.start_time = start_time_;
  for (const ContainerLifecycle& run : course.runs.all()) {
    status.containers.push_back(run.Status(course.restart_policy, course.initialized, now));
  }
  return status;
}

}  // namespace jettison
