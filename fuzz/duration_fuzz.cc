// links: jettison_units

#include "core/units/duration.h"
#include "fuzz/fuzz.h"

// What was read is written so that it reads back as the same duration.
void Fuzz(std::string_view text) {
  const auto duration = jettison::ParseDuration(text);
  if (!duration) return;
  const auto again = jettison::ParseDuration(jettison::FormatDuration(*duration));
  if (!again || *again != *duration) std::abort();
}
