// links: jettison_agent_state
//
// Any bytes, read as the state that an agent has saved: what is accepted is written so that it
// reads back the same.

#include "agent/state/state_text.h"
#include "fuzz/fuzz.h"
#include "ports/fakes/fake_clock.h"

void Fuzz(std::string_view text) {
  using namespace jettison;
  const FakeClock clock{Instant(std::chrono::hours(500'000))};
  const auto reading = ParseState(text, clock);
  if (!reading) return;
  const auto again = ParseState(FormatState(reading->state, clock), clock);
  if (!again || !again->faults.empty()) std::abort();
  if (again->state.node != reading->state.node) std::abort();
  if (again->state.pods.size() != reading->state.pods.size()) std::abort();
  if (again->state.cluster_evictions != reading->state.cluster_evictions) std::abort();
  if (again->state.images.size() != reading->state.images.size()) std::abort();
}
