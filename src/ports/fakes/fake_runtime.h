#pragma once

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
  FakeRuntime();

  [[nodiscard]] Result<std::vector<RuntimePod>> List() override { return existing_; }
  void CreatePod(const PodPlan& plan) override;
  void StartContainer(const std::string& pod_uid, const std::string& container, int attempt,
                      int oom_score_adj) override;
  void StopContainer(const std::string& pod_uid, const std::string& container,
                     Duration grace) override;
  void KillContainer(const std::string& pod_uid, const std::string& container) override;
  void RemoveContainer(const std::string& pod_uid, const std::string& container,
                       int attempt) override;
  void RemovePod(const std::string& pod_uid) override;
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
  [[nodiscard]] std::vector<RuntimeEvent> TakeEvents() override;

  // What the test sets.
  void SetNow(Instant now) { now_ = now; }  // stamped on starts and exits
  void SetExisting(std::vector<RuntimePod> pods);
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
            bool oom_killed = false);
  void Push(RuntimeEvent event);

  // Every command since the last call, in order: "create UID", "start UID/c#0 oom=1000",
  // "stop UID/c 30s", "kill UID/c", "forget UID/c#0", "remove UID".
  std::vector<std::string> TakeCommands();
  [[nodiscard]] bool IsRunning(const std::string& pod_uid, const std::string& container) const;

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
