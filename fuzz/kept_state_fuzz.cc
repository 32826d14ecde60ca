// links: jettison_agent
//
// Any bytes, read as what an agent has kept: what is accepted is written so that it reads back the
// same.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "agent/kept/kept_state_text.h"
#include "ports/fakes/fake_clock.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace jettison;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const FakeClock clock{Instant(std::chrono::hours(500'000))};
  const auto reading = ParseKeptState(text, clock);
  if (!reading) return 0;
  const KeptStateText written = FormatKeptState(reading->state, clock, SIZE_MAX);
  const auto again = ParseKeptState(written.text, clock);
  if (!again || !again->faults.empty() || written.left_out != 0) std::abort();
  if (again->state.node != reading->state.node) std::abort();
  if (again->state.pods.size() != reading->state.pods.size()) std::abort();
  return 0;
}
