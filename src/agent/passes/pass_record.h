#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "agent/schedule/measured_pods.h"
#include "core/decide/holders.h"
#include "core/report/cycle_report.h"
#include "view/pass_history.h"
#include "view/signal_history.h"

namespace jettison {

// What the passes of a node leave behind for onlookers.
struct PassRecord {
  std::uint64_t count = 0;                  // of passes finished since the start
  std::shared_ptr<const CycleReport> last;  // null before the first pass
  // Of the memory, and of a disk that is short, as of the last pass that read the pods.
  std::vector<Holders> holders;
  MeasuredPods pods;
  PassHistory passes;
  SignalHistory signals;
};

}  // namespace jettison
