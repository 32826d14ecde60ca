#pragma once

#include "agent/log/event_log.h"
#include "agent/log/log.h"
#include "agent/pods/pod_table.h"
#include "core/decide/early_kill.h"
#include "core/decide/eviction_pace.h"
#include "core/decide/memory_holders.h"
#include "core/report/cycle_report.h"

namespace jettison {

// Tells what a pass did, in the words that users of the kubelet search for; nothing where nothing
// happened. Called when the deed is done: a log is never in the way of a kill.
void LogPass(const CycleReport& report, NodeConditions before, const PodTable& pods,
             EventLog& events, const Log& log);

// Tells of an eviction that a pass had asked for and that takes place now; the rest has been told.
void LogGranted(const CycleReport& report, const PodTable& pods, EventLog& events, const Log& log);

// Tells that the next eviction waits.
void LogPause(const EvictionPause& pause, const PodTable& pods, const Log& log);

// Tells who holds the memory, where a pass evicted a pod for it or put that off anew, and others
// than pods that may be evicted hold most.
void LogHolders(const CycleReport& report, const MemoryHolders& holders, bool pause_is_new,
                const Log& log);

// Tells of a pod that was killed before its grace period was over.
void LogEarlyKill(const EarlyKill& kill, const PodTable& pods, EventLog& events, const Log& log);

}  // namespace jettison
