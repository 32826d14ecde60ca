#pragma once

#include <set>
#include <span>
#include <string>

#include "agent/edges/edges.h"
#include "core/pods/pod_facts.h"

namespace jettison {

// The walk through pods' files that was begun last, and whom it began with.
class PodWalk {
 public:
  // `walks` must outlive this.
  explicit PodWalk(DiskWalks& walks) : walks_(walks) {}

  void Begin(std::span<const PodFacts* const> pods);
  // Whether one of these pods came after it had begun, and so is in none of what it measured.
  [[nodiscard]] bool Missed(std::span<const PodFacts* const> pods, const DiskUse& measured) const;

 private:
  DiskWalks& walks_;
  std::set<std::string, std::less<>> uids_;
};

}  // namespace jettison
