#pragma once

#include "agent/log/event_log.h"
#include "agent/log/log.h"
#include "agent/pods/pod_table.h"
#include "core/decide/early_kill.h"
#include "core/decide/eviction_pace.h"
#include "core/decide/memory_holders.h"
#include "core/report/cycle_report.h"

namespace jettison {

// Logs what a pass did, in the kubelet's words; logs nothing if nothing happened. Called after the
// kill, so that logging never delays it.
void LogPass(const CycleReport& report, NodeConditions before, const PodTable& pods,
             EventLog& events, const Log& log);

// Logs an eviction that was asked for by an earlier pass and is granted now.
void LogGranted(const CycleReport& report, const PodTable& pods, EventLog& events, const Log& log);

// Logs that the next eviction waits.
void LogPause(const EvictionPause& pause, const PodTable& pods, const Log& log);

// Logs who holds the memory if a pass evicted a pod for memory, or such an eviction newly waits,
// and most of the memory is not held by evictable pods.
void LogHolders(const CycleReport& report, const MemoryHolders& holders, bool pause_is_new,
                const Log& log);

// Logs that a pod was killed before its grace period was over.
void LogEarlyKill(const EarlyKill& kill, const PodTable& pods, EventLog& events, const Log& log);

}  // namespace jettison
