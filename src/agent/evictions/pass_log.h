#pragma once

#include <cstddef>
#include <string>

#include "agent/pods/pod_table.h"
#include "core/decide/early_kill.h"
#include "core/decide/eviction_pace.h"
#include "core/decide/holders.h"
#include "core/pass/pass.h"
#include "machine/log/event_log.h"
#include "machine/log/log.h"

namespace jettison {

// Logs what passes did, in the kubelet's words, and adds their events. A pass in which nothing
// happened says nothing. Where no pod can be evicted, many passes a second have the same result:
// one that only repeats the last that was logged is counted, for as long as the kubelet would
// wait until its next pass.
class PassLog {
 public:
  // Called after the kill, so that logging never delays it.
  void Add(const CycleReport& report, NodeConditions before, const PodTable& pods, EventLog& events,
           const Log& log);

 private:
  [[nodiscard]] bool IsRepeated(const CycleReport& report);

  std::string result_;  // of the last pass that was logged and evicted no pod
  Instant logged_at_;
  std::size_t repeated_ = 0;
};

// Logs an eviction that was asked for by an earlier pass and is granted now.
void LogGranted(const CycleReport& report, const PodTable& pods, EventLog& events, const Log& log);

// Logs that the next eviction waits.
void LogPause(const EvictionPause& pause, const PodTable& pods, const Log& log);

// Logs who holds the memory if a pass evicted a pod for memory, or such an eviction newly waits,
// and most of the memory is not held by evictable pods.
void LogHolders(const CycleReport& report, std::span<const Holders> all, bool pause_is_new,
                const Log& log);

// Logs that a pod was killed before its grace period was over.
void LogEarlyKill(const EarlyKill& kill, const PodTable& pods, EventLog& events, const Log& log);

}  // namespace jettison
