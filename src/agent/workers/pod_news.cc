#include "agent/workers/pod_news.h"

#include <fmt/format.h>

#include <utility>

#include "view/pod_status.h"

namespace jettison {

void PodNews::CreateFailed(const std::string& why, Instant now) const {
  ++edges_->counters.started_pods_errors;
  Tell(EventType::kWarning, "FailedCreatePodSandBox", why, now);
}

void PodNews::Started(const ContainerStarted& event, Instant now) const {
  Tell(EventType::kNormal, "Started",
       event.attempt == 0
           ? fmt::format("Started container {}", event.container)
           : fmt::format("Started container {} (restart {})", event.container, event.attempt),
       now);
}

void PodNews::StartFailed(const ContainerStartFailed& event, bool is_init, Instant now) const {
  ++edges_->counters.started_containers_errors[is_init ? 1 : 0][IndexOf(event.failure)];
  Tell(EventType::kWarning, "Failed",
       fmt::format("Error: container {}: {}: {}", event.container, ReasonOf(event.failure),
                   event.error.message),
       now);
}

void PodNews::Exited(const ContainerExited& event) const {
  edges_->log.Info("container ended", {{"pod", FullName(*pod_)},
                                       {"container", event.container},
                                       {"exitCode", fmt::to_string(event.exit.exit_code)},
                                       {"reason", TerminationReason(event.exit)}});
}

void PodNews::BacksOff(const std::string& container, Instant now) const {
  Tell(EventType::kWarning, "BackOff",
       fmt::format("Back-off restarting failed container {} in pod {}", container, FullName(*pod_)),
       now);
}

void PodNews::KillIsLate(Instant now) const {
  ++edges_->counters.late_kills;
  Tell(EventType::kWarning, "ExceededGracePeriod",
       "Container runtime did not kill the pod within specified grace period.", now);
  edges_->log.Error("pod could not be killed in time, killing again", {{"pod", FullName(*pod_)}});
}

void PodNews::Tell(EventType type, const char* reason, std::string message, Instant now) const {
  edges_->events.Add(now, FullName(*pod_),
                     {.object = pod_->uid,
                      .type = type,
                      .reason = reason,
                      .message = std::move(message),
                      .annotations = {}});
}

}  // namespace jettison
