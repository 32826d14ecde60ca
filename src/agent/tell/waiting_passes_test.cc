#include "agent/tell/waiting_passes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/explain/test_bed.h"

namespace jettison {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

class WaitingPassesTest : public testing::Test {
 protected:
  WaitingPassesTest() { bed_.AddPod({.name = "leaker", .memory_mi = 300}); }
  // A pass with this number.
  WaitingPasses::Pass Numbered(std::uint64_t number) {
    RecordedPass pass = bed_.Pass();
    pass.number = number;
    return std::make_shared<const RecordedPass>(std::move(pass));
  }
  static std::vector<std::uint64_t> NumbersOf(const std::vector<WaitingPasses::Pass>& passes) {
    std::vector<std::uint64_t> numbers;
    for (const auto& pass : passes) numbers.push_back(pass->number);
    return numbers;
  }
  static std::vector<std::uint64_t> Rest(WaitingPasses& waiting, bool stays) {
    std::vector<WaitingPasses::Pass> passes;
    while (auto pass = waiting.Next(stays)) passes.push_back(std::move(pass));
    return NumbersOf(passes);
  }

  ExplainTestBed bed_;
};

TEST_F(WaitingPassesTest, TheOldestAreDroppedBeyondABoundInBytes) {
  WaitingPasses waiting(100, 2 * BytesOf(*Numbered(1)));
  EXPECT_THAT(waiting.Add(Numbered(1)), IsEmpty());
  EXPECT_THAT(waiting.Add(Numbered(2)), IsEmpty());
  EXPECT_THAT(NumbersOf(waiting.Add(Numbered(3))), ElementsAre(1));
  EXPECT_THAT(Rest(waiting, false), ElementsAre(2, 3));
  EXPECT_EQ(waiting.bytes(), 0U);
}

TEST_F(WaitingPassesTest, TheNewestStaysWhateverItsSize) {
  WaitingPasses waiting(100, 1);
  EXPECT_THAT(waiting.Add(Numbered(1)), IsEmpty());
  EXPECT_THAT(NumbersOf(waiting.Add(Numbered(2))), ElementsAre(1));
  EXPECT_THAT(Rest(waiting, false), ElementsAre(2));
}

TEST_F(WaitingPassesTest, ThoseThatStayedAreReturnedOnceMore) {
  WaitingPasses waiting(3, 1 << 20);
  for (std::uint64_t i = 1; i <= 3; ++i) EXPECT_THAT(waiting.Add(Numbered(i)), IsEmpty());
  EXPECT_THAT(Rest(waiting, true), ElementsAre(1, 2, 3));
  EXPECT_EQ(waiting.Next(true), nullptr);
  EXPECT_THAT(NumbersOf(waiting.Add(Numbered(4))), ElementsAre(1));
  waiting.StartOver();
  EXPECT_THAT(Rest(waiting, false), ElementsAre(2, 3, 4));
}

}  // namespace
}  // namespace jettison
