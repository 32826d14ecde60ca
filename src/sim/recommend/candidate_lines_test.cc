#include "sim/recommend/candidate_lines.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace jettison {
namespace {

using std::chrono::seconds;
using testing::Contains;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;

constexpr std::int64_t kGiB = std::int64_t{1} << 30;

MemoryLines Hard(const char* amount) {
  return {.hard = *Quantity::Parse(amount)};
}

MemoryLines HardAndSoft(const char* hard, const char* soft, seconds grace) {
  MemoryLines lines = Hard(hard);
  lines.soft = MemoryLines::Soft{*Quantity::Parse(soft), grace};
  return lines;
}

std::vector<std::string> Texts(const std::vector<MemoryLines>& all) {
  std::vector<std::string> texts;
  for (const MemoryLines& lines : all) texts.push_back(LinesText(lines));
  return texts;
}

TEST(MemoryLines, AreTakenFromAPolicyAndPutBackIntoIt) {
  PassPolicy policy;
  policy.thresholds = {
      {.signal = Signal::kMemoryAvailable, .value = *Quantity::Parse("100Mi")},
      {.signal = Signal::kNodeFsAvailable, .value = Percentage{0.1F}},
      {.signal = Signal::kMemoryAvailable,
       .value = *Quantity::Parse("300Mi"),
       .grace_period = seconds(90)},
      {.signal = Signal::kAllocatableMemoryAvailable, .value = *Quantity::Parse("100Mi")}};
  EXPECT_EQ(LinesText(LinesOf(policy)), "hard 100Mi, soft 300Mi for 1m30s");
  MemoryLines lines = Hard("200Mi");
  lines.min_reclaim = *Quantity::Parse("50Mi");
  const PassPolicy other = WithLines(policy, lines);
  EXPECT_EQ(LinesOf(other), lines);
  ASSERT_THAT(other.thresholds, SizeIs(3));
  EXPECT_EQ(other.thresholds[1].signal, Signal::kNodeFsAvailable);
  EXPECT_EQ(other.thresholds[2].value, lines.hard) << "the copy for allocatable memory";
  EXPECT_EQ(LinesOf(WithLines(policy, LinesOf(policy))), LinesOf(policy));
}

TEST(MemoryLines, APolicyWithoutAHardOneHasTheDefaultAndGetsOne) {
  EXPECT_EQ(LinesText(LinesOf({})), "hard 100Mi");
  EXPECT_EQ(LinesOf(WithLines({}, Hard("1Gi"))), Hard("1Gi"));
}

TEST(MemoryLines, ScaledAmountsAreWhatAPersonWouldWrite) {
  const auto scaled = [](const char* amount, double factor) {
    MemoryLines lines{.hard = Scaled(*Quantity::Parse(amount), factor)};
    return LinesText(lines);
  };
  EXPECT_EQ(scaled("100Mi", 1.41421356), "hard 140Mi");
  EXPECT_EQ(scaled("100Mi", 2), "hard 200Mi");
  EXPECT_EQ(scaled("1Gi", 0.5), "hard 510Mi");
  EXPECT_EQ(scaled("10Mi", 0.25), "hard 2600Ki");
  EXPECT_EQ(LinesText({.hard = Scaled(Percentage{0.05F}, 1.5)}), "hard 7.5%");
}

TEST(CandidateLines, TheGridIsAroundWhatIsInForceAndLeavesThatOut) {
  const MemoryLines in_force = Hard("100Mi");
  const auto lines = CoarseLines(in_force, BoundsFor(in_force, 16 * kGiB));
  EXPECT_THAT(Texts(lines), Contains("hard 200Mi"));
  EXPECT_THAT(Texts(lines), Contains("hard 800Mi, soft 1600Mi for 2m0s"));
  EXPECT_THAT(Texts(lines), Not(Contains("hard 100Mi")));
  // Less than the kubelet's default is only tried on a node for which the default is much.
  EXPECT_THAT(Texts(lines), Not(Contains("hard 50Mi")));
  EXPECT_THAT(Texts(CoarseLines(in_force, BoundsFor(in_force, kGiB / 2))), Contains("hard 50Mi"));
}

TEST(CandidateLines, ASoftLineInForceIsTriedWithEachHardOneBelowIt) {
  const MemoryLines in_force = HardAndSoft("100Mi", "300Mi", seconds(45));
  const auto texts = Texts(CoarseLines(in_force, BoundsFor(in_force, 16 * kGiB)));
  EXPECT_THAT(texts, Contains("hard 100Mi"));
  EXPECT_THAT(texts, Contains("hard 200Mi, soft 300Mi for 45s"));
  EXPECT_THAT(texts, Not(Contains("hard 400Mi, soft 300Mi for 45s")));
}

TEST(CandidateLines, NoLineTakesMoreThanItsShareOfTheNode) {
  const MemoryLines in_force = Hard("100Mi");
  const LineBounds bounds = BoundsFor(in_force, kGiB);
  EXPECT_TRUE(bounds.Allow(Hard("256Mi")));
  EXPECT_FALSE(bounds.Allow(Hard("257Mi")));
  EXPECT_FALSE(bounds.Allow(HardAndSoft("100Mi", "600Mi", seconds(30))));
  EXPECT_FALSE(bounds.Allow(HardAndSoft("100Mi", "100Mi", seconds(30))));
  EXPECT_THAT(CoarseLines(in_force, BoundsFor(in_force, 0)), IsEmpty())
      << "the memory of the node is not known";
}

TEST(CandidateLines, FinerOnesAreNewAndBeginWithTheChosenOne) {
  const std::vector<MemoryLines> tried = {Hard("100Mi"), Hard("200Mi"),
                                          HardAndSoft("200Mi", "400Mi", seconds(30))};
  const Choice choice{.chosen = 2, .front = {0, 1, 2}, .less = {}, .more = {}};
  const LineBounds bounds = BoundsFor(tried.front(), 16 * kGiB);
  const auto lines = FinerLines(tried, choice, bounds, Fineness::kHalf, 100);
  const auto texts = Texts(lines);
  EXPECT_EQ(texts.front(), "hard 280Mi, soft 400Mi for 30s");
  EXPECT_THAT(texts, Contains("hard 200Mi, soft 280Mi for 30s"));
  EXPECT_THAT(texts, Contains("hard 200Mi, soft 400Mi for 15s"));
  EXPECT_THAT(texts, Contains("hard 200Mi, soft 400Mi for 30s, reclaim 100Mi"));
  EXPECT_THAT(texts, Contains("hard 280Mi"));
  for (const MemoryLines& each : lines) EXPECT_THAT(tried, Not(Contains(each)));
  EXPECT_THAT(FinerLines(tried, choice, bounds, Fineness::kHalf, 3), SizeIs(3));
  EXPECT_THAT(Texts(FinerLines(tried, choice, bounds, Fineness::kQuarter, 100)),
              Contains("hard 240Mi"));
}

}  // namespace
}  // namespace jettison
