#include "sim/imported/track.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cmath>

namespace jettison {
namespace {

using How = TrackReading::How;
using std::chrono::seconds;

Instant At(int s) {
  return Instant(seconds(1'767'225'600 + s));
}

Track TrackOf(const std::vector<std::pair<int, double>>& samples) {
  std::vector<Track::Point> points;
  for (const auto& [at, value] : samples) points.push_back({At(at), value});
  return Track(points);
}

TEST(Track, AFigureLiesOnTheLineBetweenTwoSamplesAndSaysSo) {
  const Track track = TrackOf({{0, 100}, {10, 200}, {20, 300}});
  EXPECT_EQ(track.At(At(10))->how, How::kSampled);
  EXPECT_EQ(track.At(At(10))->value, 200);
  EXPECT_EQ(track.At(At(14))->how, How::kBetween);
  EXPECT_EQ(track.At(At(14))->value, 240);
  EXPECT_FALSE(track.At(At(-1))) << "nothing is known before the first sample";
}

TEST(Track, BehindTheLastSampleItIsKnownForOneIntervalMore) {
  const Track track = TrackOf({{0, 100}, {10, 200}, {20, 300}});
  EXPECT_EQ(track.At(At(30))->how, How::kHeld);
  EXPECT_EQ(track.At(At(30))->sampled, At(20));
  EXPECT_FALSE(track.At(At(31)));
}

TEST(Track, MissingSamplesAreBridgedForFiveMinutesAndNoLonger) {
  const Track track = TrackOf({{0, 0}, {10, 10}, {20, 20}, {320, 320}, {330, 330}, {631, 0}});
  EXPECT_EQ(track.At(At(100))->how, How::kBridged);
  EXPECT_EQ(track.At(At(100))->value, 100);
  EXPECT_FALSE(track.At(At(400))) << "301 s lie between the two samples";
  EXPECT_TRUE(track.Last(At(630)));
  EXPECT_FALSE(track.Last(At(1000)));
}

TEST(Track, AStaleMarkerEndsItAtOnce) {
  const Track track = TrackOf({{0, 100}, {10, 200}, {20, NAN}, {40, 300}});
  EXPECT_EQ(track.At(At(15))->how, How::kHeld);
  EXPECT_FALSE(track.At(At(20)));
  EXPECT_FALSE(track.At(At(39)));
  EXPECT_FALSE(track.Last(At(25)));
  EXPECT_EQ(track.At(At(40))->value, 300);
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

}  // namespace
}  // namespace jettison
