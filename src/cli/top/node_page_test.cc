#include <fmt/ranges.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/overview/overview.h"
#include "cli/top/overview_test_values.h"
#include "cli/top/top.h"

namespace jettison {
namespace {

using overview_test::At;
using overview_test::UnderPressure;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::Not;

std::string Page(const Overview& overview, const PageLayout& layout) {
  return fmt::format("{}\n", fmt::join(NodePage({TextLine("title")}, overview, layout), "\n"));
}
std::string Text(const Overview& overview) {
  return fmt::format("{}\n", fmt::join(NodePage({}, overview, {.columns = 120}), "\n"));
}

TEST(NodePage, FitsEverySizeOfTerminal) {
  for (const ScreenSize size :
       {ScreenSize{80, 24}, ScreenSize{120, 40}, ScreenSize{61, 12}, ScreenSize{20, 3},
        ScreenSize{300, 100}, ScreenSize{1, 1}, ScreenSize{200, 5}}) {
    const Overview overview = UnderPressure(500);
    const auto lines = NodePage({TextLine("title")}, overview,
                                {.columns = size.columns, .rows = size.rows, .colored = false});
    EXPECT_LE(lines.size(), size.rows);
    for (const std::string& line : lines) EXPECT_LE(WidthOf(line), size.columns) << line;
  }
}

TEST(NodePage, ShowsWhatThereIsRoomFor) {
  struct Row {
    PageLayout layout;
    std::vector<const char*> parts;
  };
  for (const auto& [layout, parts] :
       {Row{{.columns = 80, .rows = 24},
            {"title\nedge-7  MemoryPressure for 3.0 s, waiting for clean-up\n",
             "jettison 0.1.0, up 3 h, 1234 passes", "memory.available", "98 MiB", "met for 3.0 s",
             "in 27 s", "PODS 4 of 4", "(nearest)", "web-1", "evicted",
             "LAST EVENTS\n  2.0 s ago  Evicted default/leaker"}},
        Row{{.columns = 140, .rows = 40},
            {"QOS", "PRIO", "REQUEST", "DISK", "PROCS", "OVER", "TREND", "usage minus request"}},
        Row{{.columns = 120},  // no terminal: whole lines
            {"memory.available     98 MiB   512 MiB   -40 MiB/s  hard 100Mi  met for 3.0 s",
             "soft 50%    met for 12 s, acts in 78 s", "hard 10%    in 27 s"}}}) {
    const std::string page = Page(UnderPressure(), layout);
    for (const char* part : parts) EXPECT_THAT(page, HasSubstr(part)) << page;
  }
}

TEST(NodePage, WhereAllIsWellNothingElseIsSaid) {
  Overview overview = UnderPressure();
  for (auto& condition : overview.conditions) condition.status = false;
  overview.phase = "monitoring";
  overview.events.clear();
  overview.pods.clear();
  const std::string text = Text(overview);
  EXPECT_THAT(text, HasSubstr("edge-7  no pressure\n"));
  EXPECT_THAT(text, HasSubstr("No pods.\n"));
  EXPECT_THAT(text, Not(HasSubstr("EVENTS")));
}

TEST(NodePage, BeforeTheFirstPassNothingIsKnown) {
  Overview overview;
  overview.at = At(0);
  overview.started_at = At(-1);
  EXPECT_THAT(Text(overview), HasSubstr("not looked at yet"));
  EXPECT_THAT(Text(overview), HasSubstr("No thresholds"));
}

TEST(NodePage, ARefusalIsNoEvictionAndTheRowOfThePodSaysWhyItWaits) {
  Overview overview = UnderPressure(0);
  overview.pods = {overview_test::Refused("shy")};
  overview.events = {overview_test::RefusalOf("shy")};
  EXPECT_THAT(Text(overview), ContainsRegex("shy .* refused +MemoryPressure\n"));
  EXPECT_THAT(Text(overview), HasSubstr("  Refused default/shy: The node had condition"));
  overview.pods[0].refused_until = At(90);
  EXPECT_THAT(Text(overview), HasSubstr("refused  MemoryPressure until 12:01:30 or later\n"));
  overview.pods[0].activity = "starting";
  overview.pods[0].reason = overview.pods[0].refused_for = "";
  overview.pods[0].waiting_reason = "ErrImagePull";
  overview.pods[0].waiting_message = "no such host";
  EXPECT_THAT(Text(overview), HasSubstr("starting  ErrImagePull: no such host\n"));
}

TEST(NodePage, TellsTheWayOfAnEvictedPod) {
  Overview overview = UnderPressure(0);
  overview.pods = {overview_test::Running("leaker", 1)};
  OverviewPod& pod = overview.pods[0];
  pod.evictions = 1;
  pod.reason = "Evicted";
  pod.activity = "terminating";
  EXPECT_THAT(Text(overview), HasSubstr("  evicted "));
  pod.activity = "waiting";
  pod.comes_back_at = At(10);
  pod.comes_back_after = "MemoryPressure";
  EXPECT_THAT(Text(overview), HasSubstr("  waiting  back in 10 s: MemoryPressure\n"));
  pod.comes_back_at.reset();
  EXPECT_THAT(Text(overview), HasSubstr("  waiting  back after MemoryPressure\n"));
  pod.comes_back_after.clear();
  pod.activity = "running";
  EXPECT_THAT(Text(overview), HasSubstr("  running again"));
}

TEST(NodePage, SaysFirstWhatIsWrongWithTheAgentItself) {
  Overview overview = UnderPressure();
  overview.loop_problem = "the agent's main loop last ran 36 s ago";
  overview.state_problem = "root directory /x cannot be written";
  overview.not_guarded = {"foreign pod default/web is left out: no group", "and another"};
  const std::string text = Text(overview);
  EXPECT_TRUE(text.starts_with("the agent's main loop last ran 36 s ago\n"));
  EXPECT_THAT(text, HasSubstr("\nroot directory /x cannot be written\n"));
  EXPECT_THAT(text, HasSubstr("\nnot guarded: foreign pod default/web is left out: no group\n"
                              "not guarded: and another\n"));
}

TEST(NodePage, OfManyPodsThoseThatWouldBeEvictedFirstAndThoseOnTheirWayAreShown) {
  Overview overview = UnderPressure(50);
  overview.pods.push_back(overview_test::Refused("shy"));
  const std::string page = Page(overview, {.columns = 80, .rows = 24});
  EXPECT_THAT(page, HasSubstr("of 52 in the order of eviction"));
  for (const char* name : {"web-1 ", "leaker", "shy"}) EXPECT_THAT(page, HasSubstr(name));
  EXPECT_THAT(page, Not(HasSubstr("web-50")));
}

TEST(NodePage, OfEventsWarningsAndThoseOfTheNodeAreShownWithTheNewestLast) {
  Overview overview = UnderPressure();
  for (const char* object : {"default/web", "node"}) {
    overview.events.push_back({.at = At(-1),
                               .count = 3,
                               .type = "Normal",
                               .object = object,
                               .reason = "Ended",
                               .message = "Now",
                               .refused_for = {}});
  }
  EXPECT_THAT(Text(overview), HasSubstr("\n  1.0 s ago  Ended node: Now (3 times)\n"));
  EXPECT_THAT(Text(overview), Not(HasSubstr("Ended default/web")));
}

TEST(OverviewReader, ReadsBackEverythingThatIsWritten) {
  Overview overview = UnderPressure();
  overview.pods.push_back(overview_test::Refused("shy"));
  overview.pods.back().refused_until = overview_test::At(90);
  overview.events.push_back(overview_test::RefusalOf("shy"));
  const std::string json = OverviewJson(overview);
  const auto read = ReadOverview(json);
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(OverviewJson(*read), json);
  EXPECT_EQ(read->pods.back().refused_until, overview_test::At(90));
  EXPECT_EQ(read->events.back().refused_for, "MemoryPressure");
}

TEST(OverviewReader, FieldsThatAreNotSentAreAbsent) {
  const auto read = ReadOverview(
      R"({"at": "2026-11-21T12:00:00Z", "new": {"field": []}, "events": null,
          "signals": [{"signal": "memory.available", "thresholds": [{}], "available": "much"}]})");
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(read->at, overview_test::At(0));
  ASSERT_EQ(read->signals.size(), 1U);
  EXPECT_EQ(read->signals[0].thresholds.size(), 1U);
  EXPECT_FALSE(read->signals[0].capacity);
  EXPECT_FALSE(read->signals[0].available) << "what is no number is no amount";
}

TEST(OverviewReader, WhatIsNoOverviewIsRefused) {
  for (const char* text : {"", "{}", "[]", "{\"at\": 1", R"({"kind": "Status"})"}) {
    EXPECT_FALSE(ReadOverview(text)) << text;
  }
}

}  // namespace
}  // namespace jettison
