#include "core/decide/decide.h"

#include <gtest/gtest.h>

#include <vector>

namespace jettison {
namespace {

TEST(MostUrgent, PutsStallsOnMemoryBehindItsShortageAndStallsOnIoLast) {
  const std::vector<Threshold> thresholds = {{.signal = Signal::kIoPressureFullAvg10},
                                             {.signal = Signal::kPidAvailable},
                                             {.signal = Signal::kMemoryPressureSomeAvg60},
                                             {.signal = Signal::kMemoryPressureFullAvg10},
                                             {.signal = Signal::kAllocatableMemoryAvailable}};
  ThresholdSet among;
  for (std::size_t i = 0; i < thresholds.size(); ++i) {
    among.set(i);
    EXPECT_EQ(MostUrgent(thresholds, among), i);
  }
}

}  // namespace
}  // namespace jettison
