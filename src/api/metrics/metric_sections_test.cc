#include "api/metrics/metric_sections.h"

#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <limits>

namespace jettison {
namespace {

using std::chrono::milliseconds;

constexpr std::array<Duration, 2> kBounds = {milliseconds(5), std::chrono::seconds(1)};

TEST(MetricsWriter, AFamilyHasItsHelpItsTypeAndItsSamples) {
  MetricsWriter writer;
  writer.Family("a_total", MetricType::kCounter, "Some of these.");
  writer.Sample({{"x", "1"}, {"y", ""}}, std::uint64_t{7});
  writer.Sample(true);
  EXPECT_EQ(std::move(writer).Take(),
            "# HELP a_total Some of these.\n"
            "# TYPE a_total counter\n"
            "a_total{x=\"1\",y=\"\"} 7\n"
            "a_total 1\n");
}

TEST(MetricsWriter, NumbersKeepEveryDigit) {
  MetricsWriter writer;
  writer.Family("n", MetricType::kGauge, "h");
  writer.Sample(std::numeric_limits<std::uint64_t>::max());
  writer.Sample(0.1);
  writer.Sample(1700000000.25);
  writer.Sample(-3);
  const std::string text = std::move(writer).Take();
  EXPECT_TRUE(text.ends_with("n 18446744073709551615\nn 0.1\nn 1700000000.25\nn -3\n")) << text;
}

TEST(MetricsWriter, BucketsCountWhatIsNoLongerThanTheirBound) {
  Histogram<kBounds> histogram;
  histogram.Observe(milliseconds(1));
  histogram.Observe(milliseconds(5));
  histogram.Observe(milliseconds(6));
  histogram.Observe(std::chrono::seconds(2));
  MetricsWriter writer;
  writer.Family("d_seconds", MetricType::kHistogram, "h");
  writer.Observed({{"kind", "full"}}, histogram.View());
  const std::string text = std::move(writer).Take();
  EXPECT_TRUE(
      text.ends_with("d_seconds_bucket{kind=\"full\",le=\"0.005\"} 2\n"
                     "d_seconds_bucket{kind=\"full\",le=\"1\"} 3\n"
                     "d_seconds_bucket{kind=\"full\",le=\"+Inf\"} 4\n"
                     "d_seconds_sum{kind=\"full\"} 2.012\n"
                     "d_seconds_count{kind=\"full\"} 4\n"))
      << text;
}

TEST(MetricsWriter, LabelsAreEscapedAndAlwaysUtf8) {
  MetricsWriter writer;
  writer.Family("n", MetricType::kGauge, "h");
  writer.Sample({{"l", "a\\b\"c\nd"}}, 1);
  writer.Sample({{"l", "\xC3\xA4 \xFF\xC3"}}, 2);
  const std::string text = std::move(writer).Take();
  EXPECT_TRUE(
      text.ends_with("n{l=\"a\\\\b\\\"c\\nd\"} 1\n"
                     "n{l=\"\xC3\xA4 \xEF\xBF\xBD\xEF\xBF\xBD\"} 2\n"))
      << text;
}

}  // namespace
}  // namespace jettison
