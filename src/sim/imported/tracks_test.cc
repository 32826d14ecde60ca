#include "sim/imported/tracks.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cmath>

namespace jettison {
namespace {

using std::chrono::seconds;

Instant At(int s) {
  return Instant(seconds(1'767'225'600 + s));
}

Track TrackOf(const std::vector<std::pair<int, double>>& samples) {
  std::vector<Track::Point> points;
  for (const auto& [at, value] : samples) points.push_back({At(at), value});
  return Track(points);
}

TEST(Track, AFigureLiesOnTheLineBetweenTwoSamples) {
  const Track track = TrackOf({{0, 100}, {10, 200}, {20, 300}});
  EXPECT_EQ(track.At(At(10)), 200);
  EXPECT_EQ(track.At(At(14)), 240);
  EXPECT_EQ(track.SampledAt(At(14)), At(14));
  EXPECT_FALSE(track.At(At(-1))) << "nothing is known before the first sample";
}

TEST(Track, BehindTheLastSampleItIsKnownForOneIntervalMore) {
  const Track track = TrackOf({{0, 100}, {10, 200}, {20, 300}});
  EXPECT_EQ(track.At(At(30)), 300);
  EXPECT_EQ(track.SampledAt(At(30)), At(20));
  EXPECT_FALSE(track.At(At(31)));
}

TEST(Track, MissingSamplesAreBridgedForFiveMinutesAndNoLonger) {
  const Track track = TrackOf({{0, 0}, {10, 10}, {20, 20}, {320, 320}, {330, 330}, {631, 0}});
  EXPECT_EQ(track.At(At(100)), 100);
  EXPECT_FALSE(track.At(At(400))) << "301 s lie between the two samples";
  EXPECT_TRUE(track.Last(At(630)));
  EXPECT_FALSE(track.Last(At(1000)));
}

TEST(Track, AStaleMarkerEndsItAtOnce) {
  const Track track = TrackOf({{0, 100}, {10, 200}, {20, NAN}, {40, 300}});
  EXPECT_EQ(track.SampledAt(At(15)), At(10));
  EXPECT_FALSE(track.At(At(20)));
  EXPECT_FALSE(track.At(At(39)));
  EXPECT_FALSE(track.Last(At(25)));
  EXPECT_EQ(track.At(At(40)), 300);
}

TEST(Track, ACounterTellsWhatItGainedAndWhereItBeganAnew) {
  const auto steps = TrackOf({{0, 4}, {10, 4}, {20, 6}, {30, NAN}, {40, 1}}).Steps();
  ASSERT_EQ(steps.size(), 2U);
  EXPECT_EQ(steps[0].from, At(10));
  EXPECT_EQ(steps[0].to, At(20));
  EXPECT_EQ(steps[0].by, 2);
  EXPECT_FALSE(steps[0].reset);
  EXPECT_TRUE(steps[1].reset);
  EXPECT_EQ(steps[1].by, 1);
}

TEST(Track, ARateIsUnknownOverAReset) {
  const Track track = TrackOf({{0, 0}, {10, 5}, {20, 10}, {30, 1}});
  EXPECT_EQ(track.RateAt(At(20), seconds(10)), 0.5);
  EXPECT_FALSE(track.RateAt(At(30), seconds(10)));
  EXPECT_FALSE(track.RateAt(At(5), seconds(10)));
}

// A series with a sample each ten seconds, by the job that scrapes it.
void AddSeries(const std::string& job, int from, int to, double value, NodeSeries& series) {
  for (int s = from; s <= to; s += 10) {
    series[{.name = "x", .labels = {}}][{.name = "x", .labels = {{"job", job}}}].push_back(
        {At(s), value});
  }
}

TEST(NodeTracks, ASeriesThatGoesOnForLongerReplacesTheOneBeforeAndAReplicaIsLeftOut) {
  NodeSeries series;
  AddSeries("old", 0, 100, 1, series);
  AddSeries("replica", 5, 95, 2, series);
  AddSeries("new", 80, 150, 3, series);
  const NodeTracks tracks(series);
  const Track& x = *tracks.Find("x");
  EXPECT_EQ(x.At(At(70)), 1);
  EXPECT_EQ(x.At(At(80)), 3);
  EXPECT_EQ(x.points().size(), 16U);
}

}  // namespace
}  // namespace jettison
