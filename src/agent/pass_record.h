#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "agent/measured_pods.h"
#include "agent/pass_history.h"
#include "agent/signal_history.h"
#include "core/decide/memory_holders.h"
#include "core/report/cycle_report.h"

namespace jettison {

// What the passes of a node leave behind for onlookers.
struct PassRecord {
  std::uint64_t count = 0;                  // of passes finished since the start
  std::shared_ptr<const CycleReport> last;  // null before the first pass
  std::optional<MemoryHolders> holders;     // as of the last pass that read the pods' memory
  MeasuredPods pods;
  PassHistory passes;
  SignalHistory signals;
};

}  // namespace jettison
