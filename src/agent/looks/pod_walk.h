#pragma once

#include <set>
#include <span>
#include <string>

#include "agent/edges/edges.h"
#include "core/pods/pod_facts.h"

namespace jettison {

// The last walk through pods' files, and the pods that it began with.
class PodWalk {
 public:
  // `walks` must outlive this.
  explicit PodWalk(DiskWalks& walks) : walks_(walks) {}

  // `disk_is_short`: a disk is found short before the walk begins.
  void Begin(std::span<const PodFacts* const> pods, bool disk_is_short);
  // Whether a pod may have filled the disk unseen: one that was added after the walk had begun, or,
  // if the disk became short during the walk, any that had been measured before.
  [[nodiscard]] bool MayMissCause(std::span<const PodFacts* const> pods,
                                  const DiskUse& measured) const;

 private:
  DiskWalks& walks_;
  std::set<std::string, std::less<>> uids_;
  bool began_short_ = false;
};

}  // namespace jettison
