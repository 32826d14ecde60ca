#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/units/duration.h"
#include "machine/log/log.h"
#include "ports/cgroups.h"
#include "sources/kubernetes/evictions/eviction_intent.h"
#include "sources/kubernetes/pods/pod_feed.h"

namespace jettison {

// What HeldOrphans works with; everything must outlive it.
struct HeldOrphanEdges {
  Cgroups& groups;  // where the pods' groups are
  const Log& log;
  std::optional<std::int64_t> pids_limit;  // of a pod's group, as the kubelet has it
  // The pods that were listed since the last call and whose group lets no process start.
  std::function<std::vector<kube::FoundHeld>()> take_held;
};

// Frees the pods that are held although nobody evicts them, or evicts them any more. An agent that
// was killed after it had held a pod may not have recorded the eviction, and the record may have
// been lost. The pod could start no process for good.
class HeldOrphans {
 public:
  // How often it is tried to free a pod that could not be freed.
  static constexpr Duration kFreeEvery = std::chrono::minutes(1);

  explicit HeldOrphans(HeldOrphanEdges edges) : edges_(std::move(edges)) {}

  // The eviction of this pod is over: it is to be freed then, or with the others before that.
  void FreeAt(const kube::EvictionIntent& intent, Instant at);
  // Frees what is to be freed. Must not be called before the recorded evictions are known.
  // `is_evicted`: whether the pod of a UID has a recorded eviction; such a pod is left as it is.
  void Advance(const std::function<bool(const std::string& uid)>& is_evicted, Instant now);
  // When a pod is to be tried again; absent: never.
  [[nodiscard]] std::optional<Instant> NextDeadline() const { return free_at_; }
  // Whether a pod is to be freed, and how many have been.
  [[nodiscard]] bool Has(const std::string& uid) const;
  [[nodiscard]] std::uint64_t freed() const { return freed_; }

 private:
  void Take(kube::FoundHeld held);

  HeldOrphanEdges edges_;
  std::vector<kube::EvictionIntent> to_free_;  // their limit is to be restored
  std::optional<Instant> free_at_;             // when that is tried again
  std::uint64_t freed_ = 0;
};

}  // namespace jettison
