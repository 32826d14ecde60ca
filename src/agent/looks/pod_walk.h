#pragma once

#include <optional>
#include <span>

#include "agent/edges/edges.h"
#include "core/pods/pod_facts.h"
#include "core/text/text_index.h"
#include "core/units/duration.h"

namespace jettison {

// The last walk through pods' files, and the pods that it began with.
class PodWalk {
 public:
  // `walks` must outlive this.
  explicit PodWalk(DiskWalks& walks) : walks_(walks) {}

  // `disk_is_short`: a disk is found short before the walk begins.
  void Begin(std::span<const PodFacts* const> pods, bool disk_is_short, Instant now);
  // Whether the walk has begun since `then`, and these pods need no other one while no disk is
  // short: it began with all of them, and none has a limit on local storage.
  [[nodiscard]] bool Serves(std::span<const PodFacts* const> pods, Instant then) const;
  // Whether a pod may have filled the disk unseen: one that was added after the walk had begun, or,
  // if the disk became short during the walk, any that had been measured before.
  [[nodiscard]] bool MayMissCause(std::span<const PodFacts* const> pods,
                                  const DiskUse& measured) const;

 private:
  DiskWalks& walks_;
  TextSet uids_;
  std::optional<Instant> began_at_;
  bool began_short_ = false;
};

}  // namespace jettison
