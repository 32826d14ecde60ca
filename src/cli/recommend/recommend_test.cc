#include "cli/recommend/recommend.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "cli/simulate/fleet_bed.h"
#include "kernel/files/files.h"

namespace jettison {
namespace {

using ::testing::HasSubstr;

class RecommendCommand : public FleetBed {};

TEST_F(RecommendCommand, PrintsTheConfigurationAlthoughItIsWrittenToAFileAsWell) {
  Put("a.jtr", BinaryOf(LifeOf("node-a", 3)));
  EXPECT_EQ(RunCommand(AddRecommend,
                       {"recommend", Path("a.jtr"), "--output", "yaml", "--out", Path("k.yaml")}),
            0)
      << said_;
  EXPECT_THAT(printed_, HasSubstr("kind: KubeletConfiguration"));
  EXPECT_EQ(*kernel::ReadFile(Path("k.yaml")), printed_);
}

}  // namespace
}  // namespace jettison
