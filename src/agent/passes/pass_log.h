#pragma once

#include <span>
#include <string>

#include "agent/passes/node_dependencies.h"
#include "core/decide/early_kill.h"
#include "core/decide/eviction_pace.h"
#include "core/decide/holders.h"
#include "core/pass/pass.h"
#include "core/units/duration.h"

namespace jettison {

// Logs what passes did, in the kubelet's words, and adds their events. It is called after the kill,
// so that logging never delays it. A pass in which nothing happened says nothing. Where no pod can
// be evicted, many passes a second have the same result, which is logged again only after as long
// as the kubelet would wait until its next pass.
class PassLog {
 public:
  // The dependencies must outlive this.
  explicit PassLog(const NodeDependencies& dependencies)
      : pods_(dependencies.pods), events_(dependencies.events), log_(dependencies.log) {}

  // `before`: the conditions before the pass.
  void Add(const CycleReport& report, NodeConditions before);
  // An eviction that was asked for by an earlier pass and is granted now.
  void Granted(const CycleReport& report) const;
  // The next eviction waits.
  void Waits(const EvictionPause& pause) const;
  // Who holds what is short, if a pass evicted a pod or such an eviction newly waits, and most of
  // it is not held by evictable pods.
  void HeldBy(const CycleReport& report, std::span<const Holders> all, bool pause_is_new) const;
  // A pod was killed before its grace period was over.
  void KilledEarly(const EarlyKill& kill) const;

 private:
  [[nodiscard]] bool IsRepeated(const CycleReport& report);
  void Threshold(const CycleReport& report) const;
  void Reclaim(const CycleReport& report) const;
  void Evictions(const CycleReport& report) const;
  void Eviction(const EvictionRecord& eviction) const;
  void Survivors(const CycleReport& report) const;
  void Events(const CycleReport& report) const;
  [[nodiscard]] std::string AgesOf(const CycleReport& report) const;

  const PodTable& pods_;
  EventLog& events_;
  const Log& log_;
  std::string result_;  // of the last pass that was logged and evicted no pod
  Instant logged_at_;
};

}  // namespace jettison
