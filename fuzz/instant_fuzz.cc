// links: jettison_units

#include "core/units/duration.h"
#include "fuzz/fuzz.h"

// What was read is written so that it reads back as the same instant.
void Fuzz(std::string_view text) {
  const auto instant = jettison::ParseInstant(text);
  if (!instant) return;
  const auto again = jettison::ParseInstant(jettison::FormatInstant(*instant));
  if (!again || *again != *instant) std::abort();
}
