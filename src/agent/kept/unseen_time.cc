#include "agent/kept/unseen_time.h"

#include <algorithm>

namespace jettison {
namespace {

// The transition period that the kubelet has by default: it takes a pressure that it has not seen
// for so long for over.
constexpr Duration kForgottenAfter = std::chrono::minutes(5);

}  // namespace

void PassUnseen(std::vector<KeptThreshold>& thresholds, Duration unseen, Duration counted,
                Instant now) {
  if (unseen > kForgottenAfter) return thresholds.clear();
  const Duration uncounted = std::max(unseen - counted, Duration(0));
  for (KeptThreshold& threshold : thresholds) {
    threshold.first_observed = std::min(threshold.first_observed + uncounted, now);
  }
}

}  // namespace jettison
