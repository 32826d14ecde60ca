#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>

#include "agent/loop/job_queue.h"
#include "agent/tell/kept_eviction.h"
#include "core/model/memory_estimator.h"
#include "core/pass/recorded_pass.h"

namespace jettison {

struct EvictionHistorySettings {
  bool dry_run = false;
  MemoryEstimator memory_estimator = MemoryEstimator::kWorkingSet;
  std::size_t max_evictions = 100;
  std::size_t max_bytes = std::size_t{8} << 20;
  std::size_t order_limit = 50;  // the most pods of an order that are kept, around the victim
};

// Keeps the explanations of the last evictions since the agent's start, limited in number and in
// bytes. They are made beside the loop. The agent's recording outlives it.
class EvictionHistory {
 public:
  explicit EvictionHistory(EvictionHistorySettings settings) : settings_(settings) {}

  // Takes a pass that evicted. Never waits. In a dry run a pod that is chosen again and again for
  // the same reason counts once.
  void Add(std::shared_ptr<const RecordedPass> pass);
  // On any thread; never null.
  [[nodiscard]] std::shared_ptr<const KeptEvictions> Evictions() const;

 private:
  void Keep(const RecordedPass& pass, const std::string& uid);

  EvictionHistorySettings settings_;
  mutable std::mutex mutex_;  // guards what follows
  std::shared_ptr<const KeptEvictions> kept_ = std::make_shared<KeptEvictions>();
  std::uint64_t last_number_ = 0;

  JobQueue explanations_{Threads::kSpare};
};

}  // namespace jettison
