#include "cli/demo/demo_screen.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "cli/demo/demo_plain.h"
#include "cli/demo/demo_test_snapshots.h"

namespace jettison {
namespace {

using demo_test::At;
using demo_test::Calm;
using demo_test::kMiB;
using demo_test::Measure;
using demo_test::PodIn;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;
using ::testing::StartsWith;

constexpr TextStyle kPlainText = {.color = false, .unicode = true};
constexpr TextStyle kAscii = {.color = false, .unicode = false};

Snapshot UnderPressure() {
  Snapshot snapshot = Calm(7.5);
  snapshot.thresholds[0].observation->available = 98 << 20;
  snapshot.thresholds[0].met = true;
  snapshot.conditions.Set(NodeConditionType::kMemoryPressure);
  PodIn(snapshot, "leaker").memory_working_set_bytes = 164 * kMiB;
  PodIn(snapshot, "cache").memory_working_set_bytes = 72 * kMiB;
  Measure(snapshot);
  for (std::uint64_t i = 1; i <= 30; ++i) {
    snapshot.events.push_back(
        {.sequence = i,
         .at = At(static_cast<double>(i) / 5),
         .pod = i % 2 == 0 ? "default/leaker" : "",
         .event = {.type = EventType::kWarning,
                   .reason = fmt::format("Reason{}", i),
                   .message = "A message that is long enough to need more than one line of any "
                              "terminal that people have, and then some more of it."}});
  }
  return snapshot;
}

std::vector<std::string> Screen(const Snapshot& snapshot, ScreenSize size, TextStyle style) {
  return ComposeScreen({.snapshot = snapshot, .started = At(0), .act = 1}, size, style);
}

TEST(DemoScreen, FitsEverySizeOfTerminal) {
  for (const ScreenSize size : {ScreenSize{80, 24}, ScreenSize{120, 40}, ScreenSize{61, 12},
                                ScreenSize{20, 3}, ScreenSize{300, 100}, ScreenSize{1, 1}}) {
    const auto lines = Screen(UnderPressure(), size, kPlainText);
    EXPECT_LE(lines.size(), std::max<std::size_t>(size.rows - 1, 1));
    for (const std::string& line : lines) EXPECT_LE(WidthOf(line), size.columns) << line;
  }
}

TEST(DemoScreen, TheWholeNodeFitsIntoAnOrdinaryTerminal) {
  const std::string text =
      fmt::format("{}", fmt::join(Screen(UnderPressure(), {80, 24}, kPlainText), "\n"));
  for (const char* part :
       {"act 1 of 4: leaker grows", "7.5 s", "memory.available", "98 MiB", "100Mi", "pid.available",
        "● MemoryPressure", "○ DiskPressure", "Reason30"}) {
    EXPECT_THAT(text, HasSubstr(part));
  }
  for (const DemoPod& pod : DemoPods()) EXPECT_THAT(text, HasSubstr(std::string(pod.name)));
}

TEST(DemoScreen, NoEscapeAndNothingBeyondAsciiWhereTheTerminalHasNone) {
  for (const std::string& line : Screen(UnderPressure(), {80, 24}, kAscii)) {
    EXPECT_TRUE(std::all_of(line.begin(), line.end(), [](char c) { return c >= ' ' && c < 127; }))
        << line;
  }
}

TEST(DemoScreen, AnUnknownSignalIsShownAsUnknown) {
  Snapshot snapshot = Calm(1);
  snapshot.thresholds[0].observation.reset();
  EXPECT_THAT(Screen(snapshot, {80, 24}, kAscii),
              ::testing::Contains(::testing::AllOf(HasSubstr("memory.available"), HasSubstr("-"),
                                                   Not(HasSubstr("MiB")))));
}

TEST(DemoPeaks, TheLowestAmountIsThatOfTheAct) {
  Snapshot snapshot = Calm(0);
  DemoPeaks peaks;
  const auto lowest = [&] { return peaks.lowest()[IndexOf(Signal::kMemoryAvailable)]; };
  snapshot.thresholds[0].observation->available = 90 << 20;
  peaks.Record(snapshot, 1);
  snapshot.thresholds[0].observation->available = 512 << 20;
  peaks.Record(snapshot, 1);
  EXPECT_EQ(lowest(), 90 << 20);
  peaks.Record(snapshot, 2);
  EXPECT_EQ(lowest(), 512 << 20);
}

TEST(DemoScreen, WhoGoesFirstStandsFirstTheCulpritIsMarkedAndCriticalPodsStandLast) {
  const auto lines = Screen(UnderPressure(), {120, 40}, kAscii);
  const auto pods = std::ranges::find_if(lines, [](const std::string& line) {
    return line.find("in the order of eviction for memory.available") != std::string::npos;
  });
  ASSERT_GT(lines.end() - pods, 9);
  EXPECT_THAT(pods[2], AllOf(StartsWith(">  1"), HasSubstr("leaker")));
  EXPECT_THAT(pods[3], AllOf(StartsWith("   2"), HasSubstr("cache")));
  EXPECT_THAT(pods[9], AllOf(StartsWith("    "), HasSubstr("critical")));
}

TEST(DemoLines, EachEventIsToldOnce) {
  Snapshot snapshot = UnderPressure();
  DemoLines lines;
  const ScreenContent content{.snapshot = snapshot, .started = At(0), .act = 1};
  EXPECT_THAT(lines.News(content), SizeIs(30 + 1 + 1));  // and the act, and the signals
  EXPECT_THAT(lines.News(content), IsEmpty());
  snapshot.events.push_back({.sequence = 31,
                             .at = At(7.5),
                             .pod = "",
                             .event = {.reason = "NodeHasDiskPressure", .message = "Now"}});
  EXPECT_THAT(lines.News(content), ElementsAre("  7.5 s  Normal NodeHasDiskPressure node: Now"));
}

TEST(DemoLines, SignalsAreToldEveryOtherSecond) {
  Snapshot snapshot = Calm(0);
  DemoLines lines;
  const ScreenContent content{.snapshot = snapshot, .started = At(0), .act = 0};
  EXPECT_THAT(lines.News(content), SizeIs(2));
  snapshot.at = At(1);
  EXPECT_THAT(lines.News(content), IsEmpty());
  snapshot.at = At(2);
  EXPECT_THAT(lines.News(content),
              ElementsAre(HasSubstr("memory.available 262 MiB (evicts below 100 MiB)")));
}

}  // namespace
}  // namespace jettison
