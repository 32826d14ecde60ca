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
  return idle_byte_seconds / kByteSecondsOfGibHour;
}

}  // namespace jettison
