#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "ports/pod_disk.h"
#include "containers/lifetime.h"
#include "runtimes/cri/base/surroundings.h"
#include "runtimes/cri/containers/container_run.h"
#include "sources/foreign/foreign_finding.h"

namespace jettison::cri {

// A pod that somebody else has made: it can be watched and ended, and stays its owner's.
class ForeignPod {
 public:
  // `pod`: what was read of the finding, which has named its containers.
  ForeignPod(Surroundings& surroundings, Pod pod, ForeignFinding finding);
  ForeignPod(const ForeignPod&) = delete;
  ForeignPod& operator=(const ForeignPod&) = delete;
  ~ForeignPod() = default;

  // Watches its containers, each of which the pod names; what there is to tell of it.
  [[nodiscard]] RuntimePod Begin();

  void StopContainer(const std::string& name, Duration grace);
  void KillContainer(const std::string& name);
  // Ends what runs and takes down what keeps it up -> PodRemoved. Nothing is removed.
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
  [[nodiscard]] const std::string& key() const { return finding_.identity.key; }
  [[nodiscard]] const Base& base() const { return finding_.base; }
  // Its containers that CRI does not know.
  [[nodiscard]] std::vector<TaskKey> tasks() const;
  [[nodiscard]] PodDisk Disk() const;
  // The group of a container's run, relative to the node's own; empty: it has ended.
  [[nodiscard]] std::string_view GroupOf(const std::string& container) const;
  // The groups that together hold the pod.
  [[nodiscard]] const std::vector<std::string>& groups() const { return groups_; }

 private:
  [[nodiscard]] ContainerRun* FindRun(const std::string& name) const;
  void TakeDownBase();
  void TellRemoved();

  Surroundings& surroundings_;
  Pod pod_;
  ForeignFinding finding_;
  std::vector<std::string> groups_;
  std::string no_group_;  // runs name theirs in full
  std::map<std::string, std::unique_ptr<ContainerRun>> runs_;
  std::map<std::string, std::string> log_folders_;  // by container
  bool ending_ = false;                             // by our hand: RemovePod follows
  bool removing_ = false;
  bool taking_down_ = false;
  bool gone_ = false;
  pod_host::Readiness::Watch on_patience_;
  Lifetime lifetime_;
};

}  // namespace jettison::cri
