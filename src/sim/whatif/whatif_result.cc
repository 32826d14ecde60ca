#include "sim/whatif/whatif_result.h"

namespace jettison {

std::string_view NameOf(ForeseenOomKill::Why why) {
  switch (why) {
    case ForeseenOomKill::Why::kRecorded: return "recorded";
    case ForeseenOomKill::Why::kNode: return "node";
    case ForeseenOomKill::Why::kPodLimit: return "podLimit";
  }
  __builtin_unreachable();
}

double PolicyOutcome::IdleGibHours() const {
  constexpr double kGib = 1024.0 * 1024.0 * 1024.0;
  constexpr double kSecondsPerHour = 3600.0;
  return idle_byte_seconds / kGib / kSecondsPerHour;
}

}  // namespace jettison
