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

  void Begin(std::span<const PodFacts* const> pods);
  // Whether one of these pods was added after the walk had begun, and so was not measured.
  [[nodiscard]] bool Missed(std::span<const PodFacts* const> pods, const DiskUse& measured) const;

 private:
  DiskWalks& walks_;
  std::set<std::string, std::less<>> uids_;
};

}  // namespace jettison
