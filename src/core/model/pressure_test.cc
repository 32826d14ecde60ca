#include "core/model/pressure.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

namespace jettison {
namespace {

TEST(Signal, HasANameOfItsOwn) {
  std::set<std::string_view> names;
  for (const Signal signal : kAllSignals) {
    EXPECT_EQ(SignalNamed(NameOf(signal)), signal);
    EXPECT_TRUE(names.insert(NameOf(signal)).second) << NameOf(signal);
  }
}

TEST(PressureSignal, ItsNameSaysWhatItIsAbout) {
  for (std::size_t i = 0; i < kPressureSignalCount; ++i) {
    const Signal signal = kPressureSignals[i];
    const StallAverage stall = *RowOf(signal).stall;
    std::string name(NameOf(ResourceOf(signal)));
    name += stall.kind == StallKind::kFull ? ".pressure.full.avg" : ".pressure.some.avg";
    name += stall.window == std::chrono::seconds(10) ? "10" : "60";
    EXPECT_EQ(NameOf(signal), name);
    EXPECT_EQ(PressureIndexOf(signal), i);
  }
}

TEST(PressureSignal, SignalsAreDeclaredInTheOrderOfUrgency) {
  EXPECT_TRUE(std::ranges::is_sorted(kAllSignals));
  EXPECT_LT(Signal::kMemoryPressureSomeAvg60, Signal::kSwapAvailable);
  EXPECT_LT(Signal::kSwapAvailable, Signal::kNodeFsAvailable) << "memory before disks";
  EXPECT_GT(Signal::kIoPressureFullAvg10, Signal::kPidAvailable);
}

TEST(PressureSignal, MoreThanAShareLostIsLessThanTheRestAvailable) {
  EXPECT_EQ(LeftOf(2000).Value(), 8000);
  EXPECT_EQ(LostOf(LeftOf(1234)), 1234);
}

TEST(ShareText, HasTheDecimalsItNeeds) {
  EXPECT_EQ(ShareText(0), "0%");
  EXPECT_EQ(ShareText(5), "0.05%");
  EXPECT_EQ(ShareText(1230), "12.3%");
  EXPECT_EQ(ShareText(2000), "20%");
  EXPECT_EQ(ShareText(kWholeTime), "100%");
}

}  // namespace
}  // namespace jettison
