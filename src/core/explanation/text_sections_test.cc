#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/explanation/explanation_text.h"

namespace jettison {
namespace {

constexpr std::int64_t kKi = 1024;

TEST(ThresholdTable, ARowHasOneUnitAndTheHeadingsSayWhatIsBelowThem) {
  ThresholdFacts facts;
  facts.threshold = {.signal = Signal::kNodeFsAvailable, .value = Percentage{0.15F}};
  facts.seen = Observation{.available = 78'369'884 * kKi, .capacity = 180'368'785'408, .time = {}};
  facts.line = 27'055'317'804;
  EXPECT_EQ(ThresholdTable({&facts, 1}),
            "  MET WHEN                 THRESHOLD         NOW             DISTANCE  STATE\n"
            "  nodefs.available < 15%  26421209Ki  78369884Ki  51948675Ki above it  not met\n");
}

TEST(RoundText, RoundsBytesToKiAndLeavesEverythingElse) {
  const Signal disk = Signal::kNodeFsAvailable;
  EXPECT_EQ(RoundText(disk, 100 << 20), "100Mi");
  EXPECT_EQ(RoundText(disk, 3 * kKi + 511), "3Ki");
  EXPECT_EQ(RoundText(disk, 3 * kKi + 512), "4Ki");
  EXPECT_EQ(RoundText(disk, -3 * kKi - 600), "-4Ki");
  EXPECT_EQ(RoundText(disk, 999), "999");
  EXPECT_EQ(RoundText(Signal::kPidAvailable, 4711), "4711");
  EXPECT_EQ(RoundText(disk, INT64_MAX), AmountText(disk, INT64_MAX));
  EXPECT_EQ(RoundText(disk, INT64_MIN), AmountText(disk, INT64_MIN));
}

}  // namespace
}  // namespace jettison
