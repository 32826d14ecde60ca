#include "ports/fakes/fake_runtime.h"

#include <fmt/format.h>
#include <sys/eventfd.h>

#include <csignal>
#include <utility>

namespace jettison {

FakeRuntime::FakeRuntime() : event_fd_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {}

void FakeRuntime::SetExisting(std::vector<RuntimePod> pods) {
  existing_ = std::move(pods);
  for (const RuntimePod& pod : existing_) {
    for (const ContainerRecord& record : pod.containers) {
      if (record.exit) continue;
      running_[{pod.pod.uid, record.name}] = {.attempt = record.attempt, .started = record.created};
    }
  }
}

void FakeRuntime::CreatePod(const PodPlan& plan) {
  const Pod& pod = *plan.pod;
  commands_.push_back("create " + pod.uid);
  const auto error = create_errors_.find(pod.uid);
  if (error != create_errors_.end()) {
    Push(error->second);
  } else {
    Push(PodReady{pod.uid});
  }
}

void FakeRuntime::StartContainer(const std::string& pod_uid, const std::string& container,
                                 int attempt, int oom_score_adj) {
  commands_.push_back(
      fmt::format("start {}/{}#{} oom={}", pod_uid, container, attempt, oom_score_adj));
  const auto error = start_errors_.find(container);
  if (error != start_errors_.end()) {
    Push(ContainerStartFailed{pod_uid, container, attempt, error->second.failure,
                              error->second.error});
    return;
  }
  running_[{pod_uid, container}] = {.attempt = attempt, .started = now_};
  Push(ContainerStarted{pod_uid, container, attempt, now_});
}

void FakeRuntime::StopContainer(const std::string& pod_uid, const std::string& container,
                                Duration grace) {
  commands_.push_back(fmt::format("stop {}/{} {}", pod_uid, container, FormatDuration(grace)));
  if (!ignores_stop_.contains(container)) Exit(pod_uid, container, 128 + SIGTERM);
}

void FakeRuntime::KillContainer(const std::string& pod_uid, const std::string& container) {
  commands_.push_back(fmt::format("kill {}/{}", pod_uid, container));
  if (!ignores_kill_.contains(container)) Exit(pod_uid, container, 128 + SIGKILL);
}

void FakeRuntime::RemoveContainer(const std::string& pod_uid, const std::string& container,
                                  int attempt) {
  commands_.push_back(fmt::format("forget {}/{}#{}", pod_uid, container, attempt));
}

void FakeRuntime::RemovePod(const std::string& pod_uid) {
  commands_.push_back("remove " + pod_uid);
  if (!hold_removal_) Push(PodRemoved{pod_uid});
}

std::vector<RuntimeEvent> FakeRuntime::TakeEvents() {
  eventfd_t count = 0;
  eventfd_read(event_fd_.get(), &count);
  return std::exchange(events_, {});
}

void FakeRuntime::Exit(const std::string& pod_uid, const std::string& container, int exit_code,
                       bool oom_killed) {
  const auto run = running_.find({pod_uid, container});
  if (run == running_.end()) return;
  const ContainerExit exit = {.exit_code = exit_code,
                              .signal = exit_code > 128 ? exit_code - 128 : 0,
                              .oom_killed = oom_killed,
                              .started = run->second.started,
                              .finished = now_};
  const int attempt = run->second.attempt;
  running_.erase(run);
  Push(ContainerExited{pod_uid, container, attempt, exit});
}

void FakeRuntime::Push(RuntimeEvent event) {
  events_.push_back(std::move(event));
  eventfd_write(event_fd_.get(), 1);
}

std::vector<std::string> FakeRuntime::TakeCommands() {
  return std::exchange(commands_, {});
}

bool FakeRuntime::IsRunning(const std::string& pod_uid, const std::string& container) const {
  return running_.contains({pod_uid, container});
}

}  // namespace jettison
