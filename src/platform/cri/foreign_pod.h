#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "platform/cri/container_run.h"
#include "platform/cri/containerd_task.h"
#include "platform/cri/foreign_pod_value.h"
#include "platform/cri/lifetime.h"
#include "platform/cri/surroundings.h"
#include "ports/pod_disk.h"

namespace jettison::cri {

// A pod that somebody else has made: it can be watched and ended, and stays its owner's.
class ForeignPod {
 public:
  // `considered`: the IDs of all containers that ran in the sandbox when it was looked at.
  ForeignPod(Surroundings& surroundings, Pod pod, std::string sandbox_id,
             std::set<std::string> considered);
  ForeignPod(const ForeignPod&) = delete;
  ForeignPod& operator=(const ForeignPod&) = delete;
  ~ForeignPod() = default;

  // Tells that it was found (PodFound) and watches its containers, each of which the pod names.
  // `unread`: it is this agent's own, which cannot be read.
  void Begin(const std::vector<ForeignContainer>& containers, bool unread);

  void StopContainer(const std::string& name, Duration grace);
  void KillContainer(const std::string& name);
  // Ends what runs and stops the sandbox, if it has one -> PodRemoved. Nothing is removed.
  void Remove();

  // Goes on with what waits for something else of the pod.
  void Advance();
  // Containers with these IDs run now by the runtime's account; none: the sandbox is not ready or
  // gone, too. One that is no more what was found is told as removed.
  void OnListed(const std::set<std::string>& running);

  // It was told to end.
  [[nodiscard]] bool ending() const { return ending_; }
  // It has been told that it is gone.
  [[nodiscard]] bool gone() const { return gone_; }
  [[nodiscard]] const std::string& sandbox_id() const { return sandbox_id_; }
  // It is a container that CRI does not know: its sandbox is made up.
  [[nodiscard]] bool is_task() const { return !task_.of.empty(); }
  // Which one; only where it is.
  [[nodiscard]] const TaskKey& task() const { return task_; }
  [[nodiscard]] PodDisk Disk() const;
  // The group of a container's run, relative to the node's own; empty: it has ended.
  [[nodiscard]] std::string_view GroupOf(const std::string& container) const;
  // The groups that together hold the pod.
  [[nodiscard]] const std::vector<std::string>& groups() const { return groups_; }

 private:
  [[nodiscard]] ContainerRun* FindRun(const std::string& name) const;
  void StopSandbox();
  void TellRemoved();

  Surroundings& surroundings_;
  Pod pod_;
  std::string sandbox_id_;
  std::set<std::string> considered_;
  std::vector<std::string> groups_;
  std::string no_group_;  // runs name theirs in full
  TaskKey task_;
  std::map<std::string, std::unique_ptr<ContainerRun>> runs_;
  std::map<std::string, std::string> log_folders_;  // by container
  bool ending_ = false;                             // by our hand: RemovePod follows
  bool removing_ = false;
  bool stopping_ = false;
  bool gone_ = false;
  pod_host::Readiness::Watch on_patience_;
  Lifetime lifetime_;
};

}  // namespace jettison::cri
