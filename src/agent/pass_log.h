#pragma once

#include "agent/event_log.h"
#include "agent/log.h"
#include "agent/pod_table.h"
#include "report/cycle_report.h"

namespace jettison {

// Tells what a pass did, in the words that users of the kubelet search for; nothing where nothing
// happened. Called when the deed is done: a log is never in the way of a kill.
void LogPass(const CycleReport& report, NodeConditions before, const PodTable& pods,
             EventLog& events, const Log& log);

}  // namespace jettison
