// links: jettison_agent_kept
//
// Any bytes, read as what an agent has kept: what is accepted is written so that it reads back the
// same.

#include "agent/kept/kept_state_text.h"
#include "fuzz/fuzz.h"
#include "ports/fakes/fake_clock.h"

void Fuzz(std::string_view text) {
  using namespace jettison;
  const FakeClock clock{Instant(std::chrono::hours(500'000))};
  const auto reading = ParseKeptState(text, clock);
  if (!reading) return;
  const KeptStateText written = FormatKeptState(reading->state, clock, SIZE_MAX);
  const auto again = ParseKeptState(written.text, clock);
  if (!again || !again->faults.empty() || written.left_out != 0) std::abort();
  if (again->state.node != reading->state.node) std::abort();
  if (again->state.pods.size() != reading->state.pods.size()) std::abort();
}
