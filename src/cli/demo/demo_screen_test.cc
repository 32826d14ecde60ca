#include "cli/demo/demo_screen.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/demo/demo_plain.h"
#include "cli/demo/demo_pod_table.h"
#include "cli/demo/demo_test_snapshots.h"

namespace jettison {
namespace {

using demo_test::At;
using demo_test::Calm;
using demo_test::Evict;
using demo_test::Facts;
using demo_test::kMiB;
using demo_test::PodIn;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;

constexpr TextStyle kPlainText = {.color = false, .unicode = true};
constexpr TextStyle kAscii = {.color = false, .unicode = false};

Snapshot UnderPressure() {
  Snapshot snapshot = Calm(7.5);
  snapshot.thresholds[0].observation->available = 98 << 20;
  snapshot.thresholds[0].met = true;
  snapshot.conditions.Set(NodeConditionType::kMemoryPressure);
  PodIn(snapshot, "leaker").memory_working_set_bytes = 164 * kMiB;
  PodIn(snapshot, "cache").memory_working_set_bytes = 72 * kMiB;
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
  const DemoFacts facts = Facts();
  return ComposeScreen({.snapshot = snapshot, .facts = facts, .started = At(0), .act = 1}, size,
                       style);
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
       {"act 1 of 4: leaker grows", "7.5 s", "memory.available", "98 MiB", "100 MiB",
        "pid.available", "● MemoryPressure", "○ DiskPressure", "Reason30"}) {
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
  snapshot.thresholds[0].observation->available = 90 << 20;
  peaks.Record(snapshot, 1);
  snapshot.thresholds[0].observation->available = 512 << 20;
  peaks.Record(snapshot, 1);
  EXPECT_EQ(peaks.Lowest(Signal::kMemoryAvailable), 90 << 20);
  peaks.Record(snapshot, 2);
  EXPECT_EQ(peaks.Lowest(Signal::kMemoryAvailable), 512 << 20);
}

std::string FirstWord(const TextLine& line) {
  const std::string text = line.Render(200, kAscii);
  const std::size_t begin = text.find_first_not_of(' ');
  return text.substr(begin, text.find(' ', begin) - begin);
}

TEST(DemoPodTable, WhoGoesFirstStandsFirstAndCriticalPodsAfterAllWhoCanGo) {
  const auto lines = PodTable(UnderPressure(), Facts(), {});
  ASSERT_THAT(lines, SizeIs(1 + DemoPods().size()));
  EXPECT_EQ(FirstWord(lines[1]), "leaker");
  EXPECT_EQ(FirstWord(lines[2]), "cache");
  EXPECT_EQ(FirstWord(lines.back()), "critical");
}

TEST(DemoPodTable, PodsThatAreAwayStandLast) {
  Snapshot snapshot = UnderPressure();
  PodIn(snapshot, "leaker").activity = PodActivity::kWaiting;
  const auto lines = PodTable(snapshot, Facts(), {});
  EXPECT_EQ(FirstWord(lines[1]), "cache");
  EXPECT_EQ(FirstWord(lines.back()), "leaker");
}

TEST(DemoPodTable, TheStateTellsTheWayOfAnEvictedPod) {
  PodView pod = PodIn(*std::make_unique<Snapshot>(Calm(0)), "leaker");
  EXPECT_EQ(PodStateText(pod, At(0)), "running");
  Evict(pod, "");
  EXPECT_EQ(PodStateText(pod, At(0)), "evicted");
  pod.activity = PodActivity::kWaiting;
  pod.comes_back_at = At(10);
  EXPECT_EQ(PodStateText(pod, At(3.4)), "back in 7 s");
  EXPECT_EQ(PodStateText(pod, At(10)), "held back");
  pod.activity = PodActivity::kRunning;
  pod.status.reason.clear();
  EXPECT_EQ(PodStateText(pod, At(12)), "running again");
}

TEST(DemoLines, EachEventIsToldOnce) {
  const DemoFacts facts = Facts();
  Snapshot snapshot = UnderPressure();
  DemoLines lines;
  const ScreenContent content{.snapshot = snapshot, .facts = facts, .started = At(0), .act = 1};
  EXPECT_THAT(lines.News(content), SizeIs(30 + 1 + 1));  // and the act, and the signals
  EXPECT_THAT(lines.News(content), IsEmpty());
  snapshot.events.push_back({.sequence = 31,
                             .at = At(7.5),
                             .pod = "",
                             .event = {.reason = "NodeHasDiskPressure", .message = "Now"}});
  EXPECT_THAT(lines.News(content), ElementsAre("  7.5 s  Normal NodeHasDiskPressure node: Now"));
}

TEST(DemoLines, SignalsAreToldEveryOtherSecond) {
  const DemoFacts facts = Facts();
  Snapshot snapshot = Calm(0);
  DemoLines lines;
  const ScreenContent content{.snapshot = snapshot, .facts = facts, .started = At(0), .act = 0};
  EXPECT_THAT(lines.News(content), SizeIs(2));
  snapshot.at = At(1);
  EXPECT_THAT(lines.News(content), IsEmpty());
  snapshot.at = At(2);
  EXPECT_THAT(lines.News(content),
              ElementsAre(HasSubstr("memory.available 262 MiB (evicts below 100 MiB)")));
}

}  // namespace
}  // namespace jettison
