#include "core/explanation/explanation.h"

namespace jettison {

std::string PodIdentity::FullName() const {
  return name.empty() ? uid : namespace_ + "/" + name;
}

std::string_view NameOf(PassOutcome outcome) {
  switch (outcome) {
    case PassOutcome::kNothing: return "nothing";
    case PassOutcome::kStorageLimits: return "storageLimits";
    case PassOutcome::kReclaimUnderWay: return "reclaimUnderWay";
    case PassOutcome::kRelieved: return "relieved";
    case PassOutcome::kEvicted: return "evicted";
    case PassOutcome::kPaused: return "paused";
    case PassOutcome::kNobodyMayGo: return "nobodyMayGo";
    case PassOutcome::kAwaitsDiskUse: return "awaitsDiskUse";
  }
  __builtin_unreachable();
}

std::string_view NameOf(Otherwise::Change change) {
  switch (change) {
    case Otherwise::Change::kUsage: return "usage";
    case Otherwise::Change::kRequest: return "request";
    case Otherwise::Change::kPriority: return "priority";
    case Otherwise::Change::kCritical: return "critical";
    case Otherwise::Change::kAvailable: return "available";
    case Otherwise::Change::kThreshold: return "threshold";
    case Otherwise::Change::kGracePeriod: return "gracePeriod";
    case Otherwise::Change::kNoReclaim: return "noReclaim";
    case Otherwise::Change::kLimit: return "limit";
  }
  __builtin_unreachable();
}

}  // namespace jettison
