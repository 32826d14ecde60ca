#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/model/summary.h"
#include "core/model/threshold.h"
#include "core/units/duration.h"
#include "core/units/result.h"
#include "kernel/psi/pressure.h"
#include "ports/cgroups.h"

namespace jettison {

// Where the pressure of the node and of the pods is read.
struct PressureSources {
  Cgroups& node;              // "" is the node
  Cgroups& pods;              // below which groups of pods are named
  bool whole_machine = true;  // the node's figures are the machine's
  std::vector<Threshold>
      thresholds;  // those on pressure say what is needed; others are passed over
};

// Reads how long the node and its pods were stalled, as far as thresholds ask for it: without one
// nothing is opened or read, and pods' own figures are only read while a threshold on I/O is met,
// which is when they are compared. Used by one thread.
class PressureReader {
 public:
  explicit PressureReader(const PressureSources& sources);

  [[nodiscard]] bool Needs(psi::PressureResource resource) const;
  // The node's figures at this moment.
  [[nodiscard]] Result<PressureStats> ReadNode(psi::PressureResource resource, Instant now);
  // Whether ReadPod has anything to do in a pass that read this of the node.
  [[nodiscard]] bool ComparesPods(const NodeStats& node) const;
  // How much of the last ten seconds a pod was stalled on I/O, in hundredths of a percent. Where it
  // lies in several groups, the most stalled one counts. Absent where that is not known.
  [[nodiscard]] std::optional<std::int32_t> ReadPod(std::span<const std::string> groups);
  // Files of pods that are open, and an end to them.
  [[nodiscard]] std::size_t pod_files() const { return pods_.open_files(); }
  void ForgetPods() { pods_.CloseAll(); }

 private:
  std::vector<Threshold> on_memory_;
  std::vector<Threshold> on_io_;
  psi::PressureFiles node_;
  psi::PressureFiles pods_;
};

}  // namespace jettison
