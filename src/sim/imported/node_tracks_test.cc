#include "sim/imported/node_tracks.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>

namespace jettison {
namespace {

using std::chrono::minutes;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

Instant Minute(int minute) {
  return Instant(minutes(29'453'760 + minute));
}

// The minutes of the samples, from the first one up to the last one.
struct Stretch {
  int from;
  int to;
};

class JoinedSeries {
 public:
  // A series with a sample each minute, all of which have the given value.
  void Add(const std::string& job, double value, const std::vector<Stretch>& stretches) {
    auto series = std::make_unique<ScrapedSeries>(
        ScrapedSeries{.series = {.name = "x", .labels = {{"job", job}}}, .figure = {.name = "x"}});
    for (const auto& [from, to] : stretches) {
      for (int minute = from; minute <= to; ++minute)
        series->points.push_back({Minute(minute), value});
    }
    series_.push_back(std::move(series));
  }

  // "from-to: value" for samples of one value that are a minute apart.
  [[nodiscard]] std::vector<std::string> Texts() {
    const NodeTracks tracks(series_, notes);
    std::vector<std::string> texts;
    const auto& points = tracks.Find("x")->points();
    for (auto begin = points.begin(); begin != points.end();) {
      auto end = begin + 1;
      while (end != points.end() && end->value == begin->value &&
             end->at == std::prev(end)->at + minutes(1)) {
        ++end;
      }
      const auto minute = [](Instant at) { return (at - Minute(0)) / minutes(1); };
      texts.push_back(
          fmt::format("{}-{}: {}", minute(begin->at), minute(std::prev(end)->at), begin->value));
      begin = end;
    }
    return texts;
  }

  ImportNotes notes;

 private:
  NodeSeries series_;
};

TEST(NodeTracks, ASeriesThatContinuesBehindAnotherCountsThere) {
  JoinedSeries joined;
  joined.Add("old", 1, {{0, 240}});
  joined.Add("new", 2, {{180, 360}});
  EXPECT_THAT(joined.Texts(), ElementsAre("0-240: 1", "241-360: 2"));
  EXPECT_THAT(joined.notes.All(),
              ElementsAre(AllOf(HasSubstr("x{job=\"new\"} tells the same as x{job=\"old\"}"),
                                HasSubstr("61 of its samples are left out, and 120 are kept"))));
}

TEST(NodeTracks, ASeriesThatBeginsBeforeAnotherCountsThere) {
  JoinedSeries joined;
  joined.Add("old", 1, {{0, 180}});
  joined.Add("new", 2, {{120, 360}});
  EXPECT_THAT(joined.Texts(), ElementsAre("0-119: 1", "120-360: 2"));
}

TEST(NodeTracks, AReplicaCountsWhereTheOtherOneHasNoSamplesForLong) {
  JoinedSeries joined;
  joined.Add("1", 1, {{0, 100}, {104, 200}, {300, 400}});
  joined.Add("2", 2, {{102, 320}});
  EXPECT_THAT(joined.Texts(), ElementsAre("0-100: 1", "104-200: 1", "201-299: 2", "300-400: 1"));
}

TEST(NodeTracks, AReplicaThatHasNothingElseIsLeftOut) {
  JoinedSeries joined;
  joined.Add("1", 1, {{0, 400}});
  joined.Add("2", 2, {{10, 390}});
  EXPECT_THAT(joined.Texts(), ElementsAre("0-400: 1"));
  EXPECT_THAT(joined.notes.All(), ElementsAre(HasSubstr("it is left out")));
}

// Its old series is still reported for a while.
TEST(NodeTracks, TheSeriesOfARestartedContainerCountsFromItsBeginning) {
  JoinedSeries joined;
  joined.Add("old", 1, {{0, 100}});
  joined.Add("new", 2, {{98, 150}});
  EXPECT_THAT(joined.Texts(), ElementsAre("0-97: 1", "98-150: 2"));
  EXPECT_THAT(joined.notes.All(), IsEmpty());
}

}  // namespace
}  // namespace jettison
