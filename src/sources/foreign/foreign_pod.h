#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "containers/lifetime.h"
#include "containers/run_edges.h"
#include "containers/running_container.h"
#include "ports/pod_disk.h"
#include "sources/foreign/foreign_finding.h"

namespace jettison {

// A foreign pod: it can be watched and ended, and stays its owner's.
class ForeignPod {
 public:
  // `pod`: what was read of the finding, which has named its containers.
  ForeignPod(RunEdges& edges, Pod pod, ForeignFinding finding);
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
  // Containers with these IDs run now by the source's account; none: what keeps them up is down or
  // gone, too. One that is no more what was found is told as removed.
  void OnListed(const std::set<std::string>& running);

  // It was told to end.
  [[nodiscard]] bool ending() const { return ending_; }
  // It has been told that it is gone.
  [[nodiscard]] bool gone() const { return gone_; }
  [[nodiscard]] const std::string& key() const { return finding_.identity.key; }
  // By which list of a source it was found.
  [[nodiscard]] const std::string& list() const { return finding_.list; }
  [[nodiscard]] PodDisk Disk() const;
  // The group of a container's run, relative to the node's own; empty: it has ended.
  [[nodiscard]] std::string_view GroupOf(const std::string& container) const;
  // The groups that together hold the pod.
  [[nodiscard]] const std::vector<std::string>& groups() const { return groups_; }

 private:
  [[nodiscard]] RunningContainer* FindRun(const std::string& name) const;
  void HoldBase();
  void TakeDownBase();
  void TellRemoved();

  RunEdges& edges_;
  Pod pod_;
  ForeignFinding finding_;
  std::vector<std::string> groups_;
  std::string no_group_;  // runs name theirs in full
  std::map<std::string, std::unique_ptr<RunningContainer>> runs_;
  std::map<std::string, std::string> log_folders_;  // by container
  bool ending_ = false;                             // by our hand: RemovePod follows
  bool held_ = false;
  bool removing_ = false;
  bool taking_down_ = false;
  bool gone_ = false;
  kernel::Readiness::Watch on_patience_;
  Lifetime lifetime_;
};

}  // namespace jettison
