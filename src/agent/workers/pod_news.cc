#include "agent/workers/pod_news.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "view/pod_status.h"

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

void ReportedStatus::Begin(Instant now) {
  if (!start_time_) start_time_ = now;
}

void ReportedStatus::Update(const PodCourse& course, Instant now) {
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

PodStatus ReportedStatus::At(const PodCourse& course, Instant now) const {
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

void PodNews::CreateFailed(const std::string& why, Instant now) const {
  ++dependencies_->counters.started_pods_errors;
  Report(EventType::kWarning, "FailedCreatePodSandBox", why, now);
}

void PodNews::Started(const ContainerStarted& event, Instant now) const {
  Report(EventType::kNormal, "Started",
         event.attempt == 0
             ? fmt::format("Started container {}", event.container)
             : fmt::format("Started container {} (restart {})", event.container, event.attempt),
         now);
}

void PodNews::StartFailed(const ContainerStartFailed& event, bool is_init, Instant now) const {
  ++dependencies_->counters.started_containers_errors[is_init ? 1 : 0][IndexOf(event.failure)];
  Report(EventType::kWarning, "Failed",
         fmt::format("Error: container {}: {}: {}", event.container, ReasonOf(event.failure),
                     event.error.message),
         now);
}

void PodNews::Exited(const ContainerExited& event) const {
  dependencies_->log.Info("container ended", {{"pod", FullName(*pod_)},
                                              {"container", event.container},
                                              {"exitCode", fmt::to_string(event.exit.exit_code)},
                                              {"reason", TerminationReason(event.exit)}});
}

void PodNews::BacksOff(const std::string& container, Instant now) const {
  Report(
      EventType::kWarning, "BackOff",
      fmt::format("Back-off restarting failed container {} in pod {}", container, FullName(*pod_)),
      now);
}

void PodNews::KillIsLate(Instant now) const {
  ++dependencies_->counters.late_kills;
  Report(EventType::kWarning, "ExceededGracePeriod",
         "Container runtime did not kill the pod within specified grace period.", now);
  dependencies_->log.Error("pod could not be killed in time, killing again",
                           {{"pod", FullName(*pod_)}});
}

void PodNews::Report(EventType type, const char* reason, std::string message, Instant now) const {
  dependencies_->events.Add(now, FullName(*pod_),
                            {.object = pod_->uid,
                             .type = type,
                             .reason = reason,
                             .message = std::move(message),
                             .annotations = {}});
}

}  // namespace jettison
