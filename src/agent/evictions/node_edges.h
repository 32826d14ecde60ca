#pragma once

#include <functional>
#include <memory>

#include "act/pass.h"
#include "agent/edges/edges.h"
#include "agent/edges/soft_evictions.h"
#include "agent/log/event_log.h"
#include "agent/log/log.h"
#include "agent/pods/pod_table.h"
#include "core/decide/container_gc.h"
#include "core/model/signal.h"
#include "core/pass/recorded_pass.h"
#include "core/units/duration.h"
#include "ports/clock.h"

namespace jettison {

// What a node is told once.
struct NodeSettings {
  PassPolicy policy;
  Duration monitoring_interval = std::chrono::seconds(10);
  ContainerGcPolicy container_gc;
  bool memory_notifications = false;
  // Look at memory between passes, as often as it could run short.
  bool look_ahead = false;
  // Keep the last passes for onlookers, with all that they were made of. Those that evict are kept
  // in any case.
  bool record_passes = false;
};

// What a node works with; everything must outlive it.
struct NodeEdges {
  const Clock& clock;
  Figures& figures;
  DiskWalks& disk_walks;
  MemoryNotifier& notifier;
  PodTable& pods;
  PodKiller& killer;
  LastingReclaimer& reclaimer;
  EventLog& events;
  const Log& log;
  // Deletes what is left of pods that are gone; called every minute. Null: nothing is.
  std::function<void()> collect_remains = nullptr;
  // Told when the conditions of the node have changed. Null: nobody is.
  std::function<void(NodeConditions before, NodeConditions after, Instant now)> on_conditions =
      nullptr;
  // Told when the wait for evicted pods is over; whether all are gone. Null: nobody is.
  std::function<void(bool all_gone, Instant now)> on_cleanup = nullptr;
  // Told of every look at memory. Null: no memory is taken back.
  MemoryLadder* ladder = nullptr;
  // Leaves the processor to whoever has just been told to end. Null: they share it as it comes.
  std::function<void()> make_way = nullptr;
  // Takes each pass that evicted, when all is done. Null: nobody does.
  std::function<void(const std::shared_ptr<const RecordedPass>&)> on_eviction = nullptr;
  // Takes each pass that is kept, when all is done. It must return at once. Null: nobody does.
  std::function<void(const std::shared_ptr<const RecordedPass>&)> on_pass = nullptr;
  // Asked by `killer` before a pod goes for a soft threshold; `noter` takes each pod that goes
  // then. Null: nobody is asked.
  SoftEvictions* soft = nullptr;
  PodKiller* noter = nullptr;
};

}  // namespace jettison
