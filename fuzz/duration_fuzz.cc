// links: jettison_units
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "core/units/duration.h"

// What was read is written so that it reads back as the same duration.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto duration =
      jettison::ParseDuration(std::string_view(reinterpret_cast<const char*>(data), size));
  if (!duration) return 0;
  const auto again = jettison::ParseDuration(jettison::FormatDuration(*duration));
  if (!again || *again != *duration) std::abort();
  return 0;
}
