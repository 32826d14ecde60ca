// links: jettison_psi

#include "fuzz/fuzz.h"
#include "kernel/psi/pressure.h"

namespace {

void CheckShare(std::int32_t share) {
  if (share < 0 || share > 10'000) std::abort();
}

void CheckLine(const jettison::psi::StallLine& line) {
  CheckShare(line.avg10);
  CheckShare(line.avg60);
  CheckShare(line.avg300);
}

}  // namespace

// Whatever the text, a share that comes out is one of the whole.
void Fuzz(std::string_view text) {
  const auto pressure = jettison::psi::ParsePressure(text);
  if (!pressure) return;
  CheckLine(pressure->some);
  if (pressure->full) CheckLine(*pressure->full);
}
