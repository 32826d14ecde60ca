// links: jettison_agent_state
//
// Any bytes, read as the state that an agent has saved: what is accepted is written so that it
// is accepted again.

#include "agent/state/agent_state.h"
#include "fuzz/fuzz.h"
#include "ports/fakes/fake_clock.h"

void Fuzz(std::string_view text) {
  using namespace jettison;
  const FakeClock clock{Instant(std::chrono::hours(500'000))};
  const auto state = ParseState(text, clock);
  if (!state) return;
  const auto again = ParseState(FormatState(*state, clock), clock);
  if (!again) std::abort();
  if (again->node.conditions.size() != state->node.conditions.size()) std::abort();
  if (again->pods.size() != state->pods.size()) std::abort();
  if (again->cluster_evictions.size() != state->cluster_evictions.size()) std::abort();
  if (again->images.size() != state->images.size()) std::abort();
}
