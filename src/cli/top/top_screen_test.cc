#include <fmt/ranges.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/top/overview_test_values.h"
#include "cli/top/top.h"

namespace jettison {
namespace {

using overview_test::At;
using overview_test::UnderPressure;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

std::string Screen(const Overview& overview, ScreenSize size = {}) {
  return fmt::format("{}", fmt::join(ComposeTop({TextLine("title")}, overview, size, false), "\n"));
}

TEST(TopScreen, FitsEverySizeOfTerminal) {
  for (const ScreenSize size :
       {ScreenSize{80, 24}, ScreenSize{120, 40}, ScreenSize{61, 12}, ScreenSize{20, 3},
        ScreenSize{300, 100}, ScreenSize{1, 1}, ScreenSize{200, 5}}) {
    const Overview overview = UnderPressure(500);
    const auto lines = ComposeTop({TextLine("title")}, overview, size, false);
    EXPECT_LE(lines.size(), size.rows);
    for (const std::string& line : lines) EXPECT_LE(WidthOf(line), size.columns) << line;
  }
}

TEST(TopScreen, TheWholeNodeFitsIntoAnOrdinaryTerminal) {
  const std::string text = Screen(UnderPressure());
  for (const char* part :
       {"title", "edge-7  MemoryPressure, waiting for clean-up", "up 3 h, 1234 passes",
        "memory.available", "98 MiB", "met for 3.0 s", "in 27 s", "PODS 4 of 4", "(nearest)",
        "web-1", "evicted", "11:59:58  Evicted default/leaker"}) {
    EXPECT_THAT(text, HasSubstr(part)) << text;
  }
}

TEST(TopScreen, ARefusedPodIsNotCalledEvicted) {
  Overview overview = UnderPressure(1);
  overview.pods.push_back(overview_test::Refused("shy"));
  overview.events = {overview_test::RefusalOf("shy")};
  const std::string text = Screen(overview, {.columns = 140, .rows = 40});
  EXPECT_THAT(text, ::testing::ContainsRegex("refused +MemoryPressure"));
  EXPECT_THAT(text, HasSubstr("11:59:59  Refused default/shy: The node had condition"));
}

TEST(TopScreen, AWideTerminalShowsEveryColumn) {
  const std::string text = Screen(UnderPressure(), {.columns = 140, .rows = 40});
  for (const char* part : {"QOS", "PRIO", "REQUEST", "DISK", "PROCS", "OVER", "TREND", "-40 MiB/s",
                           "usage minus request"}) {
    EXPECT_THAT(text, HasSubstr(part)) << text;
  }
}

TEST(TopScreen, OfManyPodsThoseThatWouldBeEvictedFirstAreShown) {
  const std::string text = Screen(UnderPressure(50));
  EXPECT_THAT(text, HasSubstr("of 51 in the order of eviction"));
  EXPECT_THAT(text, HasSubstr("web-1 "));
  EXPECT_THAT(text, Not(HasSubstr("web-50")));
}

TEST(NewLines, TellTheNodeInALineAndEachNewEventOnce) {
  Overview overview = UnderPressure();
  std::optional<Instant> told_until;
  EXPECT_THAT(
      NewLines(overview, told_until),
      ElementsAre("12:00:00  MemoryPressure, waiting for clean-up; memory.available 98 MiB (hard "
                  "100Mi: met for 3.0 s) (soft 50%: met for 12 s, acts in 78 s); nodefs.available "
                  "14.0 GiB (hard 10%: in 27 s); 4 pods, first to be evicted: default/web-1"));
  overview.at = At(1);
  overview.events.push_back({.at = At(0.5),
                             .type = "Normal",
                             .object = "node",
                             .reason = "NodeHasDiskPressure",
                             .message = "Now"});
  EXPECT_THAT(
      NewLines(overview, told_until),
      ElementsAre("12:00:00  Normal NodeHasDiskPressure node: Now", StartsWith("12:00:01")));
}

}  // namespace
}  // namespace jettison
