#pragma once

#include <fmt/format.h>
#include <sys/eventfd.h>

#include <csignal>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ports/container_runtime.h"
#include "ports/file_descriptor.h"

namespace jettison {

// A container runtime in memory. It records every command and answers it with the event that a real
// runtime would report: pods are created, containers start, and they end when they are told to. A
// test can switch single answers off and push events itself. Used by one thread.
class FakeRuntime : public ContainerRuntime {
 public:
  FakeRuntime() : event_fd_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {}

  [[nodiscard]] Result<std::vector<RuntimePod>> List() override { return existing_; }
  void CreatePod(const PodPlan& plan) override {
    const Pod& pod = *plan.pod;
    commands_.push_back("create " + pod.uid);
    const auto error = create_errors_.find(pod.uid);
    if (error != create_errors_.end()) {
      Push(error->second);
    } else {
      Push(PodReady{pod.uid});
    }
  }
  void StartContainer(const std::string& pod_uid, const std::string& container, int attempt,
                      int oom_score_adj) override {
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
  void StopContainer(const std::string& pod_uid, const std::string& container,
                     Duration grace) override {
    commands_.push_back(fmt::format("stop {}/{} {}", pod_uid, container, FormatDuration(grace)));
    if (!ignores_stop_.contains(container)) Exit(pod_uid, container, 128 + SIGTERM);
  }
  void KillContainer(const std::string& pod_uid, const std::string& container) override {
    commands_.push_back(fmt::format("kill {}/{}", pod_uid, container));
    if (!ignores_kill_.contains(container)) Exit(pod_uid, container, 128 + SIGKILL);
  }
  void RemoveContainer(const std::string& pod_uid, const std::string& container,
                       int attempt) override {
    commands_.push_back(fmt::format("forget {}/{}#{}", pod_uid, container, attempt));
  }
  void RemovePod(const std::string& pod_uid) override {
    commands_.push_back("remove " + pod_uid);
    if (!hold_removal_) Push(PodRemoved{pod_uid});
  }
  [[nodiscard]] PodDisk DiskOf(const Pod&) const override { return {}; }
  // Named as the container is.
  [[nodiscard]] std::string_view GroupOf(const std::string&,
                                         const std::string& container) const override {
    return container;
  }
  [[nodiscard]] const std::vector<std::string>& ForeignGroupsOf(const std::string&) const override {
    return no_groups_;
  }
  [[nodiscard]] int EventFd() const override { return event_fd_.get(); }
  [[nodiscard]] std::vector<RuntimeEvent> TakeEvents() override {
    eventfd_t count = 0;
    eventfd_read(event_fd_.get(), &count);
    return std::exchange(events_, {});
  }

  // What the test sets.
  void SetNow(Instant now) { now_ = now; }  // stamped on starts and exits
  void SetExisting(std::vector<RuntimePod> pods) {
    existing_ = std::move(pods);
    for (const RuntimePod& pod : existing_) {
      for (const ContainerRecord& record : pod.containers) {
        if (record.exit) continue;
        running_[{pod.pod.uid, record.name}] = {.attempt = record.attempt,
                                                .started = record.created};
      }
    }
  }
  // CreatePod answers PodFailed with this error; CreateSucceeds takes it back.
  void FailCreate(const std::string& pod_uid, Error error, bool by_others = false) {
    create_errors_[pod_uid] = {
        .pod_uid = pod_uid, .error = std::move(error), .by_others = by_others};
  }
  void CreateSucceeds(const std::string& pod_uid) { create_errors_.erase(pod_uid); }
  // StartContainer answers ContainerStartFailed; StartSucceeds takes it back.
  void FailStart(const std::string& container, StartError error) {
    start_errors_[container] = std::move(error);
  }
  void StartSucceeds(const std::string& container) { start_errors_.erase(container); }
  // The container outlives StopContainer; the name is that of the container, in any pod.
  void IgnoreStop(const std::string& container) { ignores_stop_.insert(container); }
  // ... and KillContainer too.
  void IgnoreKill(const std::string& container) { ignores_kill_.insert(container); }
  // RemovePod is not answered.
  void HoldRemoval() { hold_removal_ = true; }
  // A container ends, by itself or after an ignored stop or kill. Exit code 128 + n: signal n.
  void Exit(const std::string& pod_uid, const std::string& container, int exit_code,
            bool oom_killed = false) {
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
  void Push(RuntimeEvent event) {
    events_.push_back(std::move(event));
    eventfd_write(event_fd_.get(), 1);
  }

  // Every command since the last call, in order: "create UID", "start UID/c#0 oom=1000",
  // "stop UID/c 30s", "kill UID/c", "forget UID/c#0", "remove UID".
  std::vector<std::string> TakeCommands() { return std::exchange(commands_, {}); }
  [[nodiscard]] bool IsRunning(const std::string& pod_uid, const std::string& container) const {
    return running_.contains({pod_uid, container});
  }

 private:
  struct Run {
    int attempt = 0;
    Instant started;
  };
  using Key = std::pair<std::string, std::string>;  // pod UID, container

  Instant now_;
  std::vector<RuntimePod> existing_;
  std::map<Key, Run> running_;
  std::map<std::string, PodFailed> create_errors_;
  std::map<std::string, StartError> start_errors_;
  std::set<std::string> ignores_stop_;
  std::set<std::string> ignores_kill_;
  bool hold_removal_ = false;
  std::vector<RuntimeEvent> events_;
  std::vector<std::string> commands_;
  FileDescriptor event_fd_;
  const std::vector<std::string> no_groups_;
};

}  // namespace jettison
