#include "core/explain/signal_figures.h"

#include "core/model/pressure.h"

namespace jettison {
namespace {

using Role = SignalFigure::Role;
using Figures = std::vector<SignalFigure>;

std::int64_t Signed(std::uint64_t amount) {
  return static_cast<std::int64_t>(amount);
}

// Adds the steps: usage minus what the kernel can drop at once, then capacity minus the result.
void AddMemory(const MemoryStats& memory, const Observation& seen, MemoryEstimator estimator,
               Figures& figures) {
  const std::int64_t working_set = seen.capacity - seen.available;
  if (memory.usage_bytes && Signed(*memory.usage_bytes) >= working_set) {
    const bool active_too = estimator == MemoryEstimator::kAvailable;
    figures.push_back({"usage", "usage", Role::kTerm, Signed(*memory.usage_bytes)});
    figures.push_back({active_too ? "fileCache" : "inactiveFile",
                       active_too ? "file cache" : "inactive file", Role::kSubtracted,
                       Signed(*memory.usage_bytes) - working_set});
    figures.push_back({"workingSet", "working set", Role::kResult, working_set});
  }
  figures.push_back({"capacity", "capacity", Role::kTerm, seen.capacity});
  figures.push_back({"workingSet", "working set", Role::kSubtracted, working_set});
}

// What is neither used nor available is reserved for root.
void AddBytes(const FsStats& fs, const Observation& seen, Figures& figures) {
  figures.push_back({"capacity", "capacity", Role::kTerm, seen.capacity});
  if (!fs.used_bytes) return;
  const std::int64_t reserved = seen.capacity - Signed(*fs.used_bytes) - seen.available;
  figures.push_back({"used", "used", Role::kSubtracted, Signed(*fs.used_bytes)});
  if (reserved != 0) {
    figures.push_back({"reserved", "reserved for root", Role::kSubtracted, reserved});
  }
}

void AddTaken(std::string_view capacity, std::string_view taken, const Observation& seen,
              Figures& figures) {
  figures.push_back({"capacity", capacity, Role::kTerm, seen.capacity});
  figures.push_back({"used", taken, Role::kSubtracted, seen.capacity - seen.available});
}

const std::optional<FsStats>& FileSystemOf(Signal signal, const NodeStats& node) {
  if (signal == Signal::kNodeFsAvailable) return node.fs;
  return signal == Signal::kImageFsAvailable ? node.image_fs : node.container_fs;
}

// Adds the terms from which the available amount is calculated.
void AddTerms(Signal signal, const NodeStats& node, MemoryEstimator estimator,
              const Observation& seen, Figures& figures) {
  if (IsPressure(signal)) return AddTaken("all of the time", "lost to stalls", seen, figures);
  switch (ResourceOf(signal)) {
    case Resource::kMemory: {
      const bool of_node = signal == Signal::kMemoryAvailable;
      return AddMemory(of_node ? *node.memory : *node.pods_memory, seen, estimator, figures);
    }
    case Resource::kSwap: return AddTaken("capacity", "used", seen, figures);
    case Resource::kEphemeralStorage: return AddBytes(*FileSystemOf(signal, node), seen, figures);
    case Resource::kInodes: return AddTaken("inodes", "used", seen, figures);
    case Resource::kPids: return AddTaken("process ids", "tasks", seen, figures);
    case Resource::kIo: break;  // only pressure signals are about I/O
  }
}

}  // namespace

SignalReading ReadingOf(Signal signal, const Summary& summary, MemoryEstimator estimator) {
  SignalReading reading{.signal = signal, .seen = ObservationsFrom(summary)[signal], .figures = {}};
  if (!reading.seen) return reading;
  const Observation& seen = *reading.seen;
  Figures& figures = reading.figures;
  AddTerms(signal, summary.node, estimator, seen, figures);
  figures.push_back({"available", "available", Role::kResult, seen.available});
  return reading;
}

}  // namespace jettison
