#include "sources/kubernetes/node/told_pressure.h"

namespace jettison::kube {

std::optional<PressureWords> WordsOf(NodeConditionType condition) {
  switch (condition) {
    case NodeConditionType::kMemoryPressure:
      return PressureWords{"JettisonMemoryPressure",        "jettison.io/memory-pressure",
                           "JettisonHasInsufficientMemory", "the node is short of memory",
                           "JettisonHasSufficientMemory",   "the node has sufficient memory"};
    case NodeConditionType::kDiskPressure:
      return PressureWords{"JettisonDiskPressure",      "jettison.io/disk-pressure",
                           "JettisonHasDiskPressure",   "a disk of the node is short of space",
                           "JettisonHasNoDiskPressure", "the disks of the node have space"};
    case NodeConditionType::kPidPressure:
      return PressureWords{"JettisonPIDPressure",        "jettison.io/pid-pressure",
                           "JettisonHasInsufficientPID", "the node is short of process ids",
                           "JettisonHasSufficientPID",   "the node has sufficient process ids"};
    case NodeConditionType::kSystemDiskContentionPressure: return std::nullopt;
  }
  return std::nullopt;
}

}  // namespace jettison::kube
