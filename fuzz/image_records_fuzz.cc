// links: jettison_agent_reclaim
//
// Any bytes, read as records of images: what is accepted is written so that it reads back the same.

#include "agent/reclaim/image_records.h"
#include "fuzz/fuzz.h"
#include "ports/fakes/fake_clock.h"

void Fuzz(std::string_view text) {
  using namespace jettison;
  const FakeClock clock{Instant(std::chrono::hours(500'000))};
  const auto reading = ParseImageRecords(text, clock);
  if (!reading) return;
  const auto again = ParseImageRecords(FormatImageRecords(reading->records, clock), clock);
  if (!again || !again->faults.empty()) std::abort();
  if (again->records.size() != reading->records.size()) std::abort();
  for (std::size_t i = 0; i < again->records.size(); ++i) {
    const ImageRecord& first = reading->records[i];
    const ImageRecord& second = again->records[i];
    if (second.id != first.id || second.first_detected != first.first_detected ||
        second.last_used != first.last_used) {
      std::abort();
    }
  }
}
