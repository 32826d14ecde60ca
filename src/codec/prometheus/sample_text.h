#pragma once

#include <optional>
#include <string_view>

#include "core/metric_series/metric_series.h"
#include "core/units/duration.h"
#include "core/units/result.h"

namespace jettison {

// A sample in a line of text. In a dump the samples of a series follow one another, so most lines
// begin as the one before, and their series is parsed once (ReadSeries).
struct SampleLine {
  std::string_view series;  // `name{label="value"}`, or `{__name__="name", label="value"}`
  double value = 0;         // NaN: the series ends
  Instant at;
};

// Reads one line without its end. Nothing: a comment or a blank line. Two forms are known:
// - OpenMetrics, as of `promtool tsdb dump-openmetrics`: `name{a="b"} 12.5 1767225600.123`, in
//   seconds; times from 1e11 on are taken for milliseconds, as in Prometheus' older text format;
// - `promtool tsdb dump`: `{__name__="name", a="b"} 12.5 1767225600123`, in milliseconds.
// kInvalidArgument: neither, or a sample without a time.
[[nodiscard]] Result<std::optional<SampleLine>> ReadSampleLine(std::string_view line);

// Whether a line is OpenMetrics' last one: "# EOF".
[[nodiscard]] bool IsEndOfMetrics(std::string_view line);

// Reads the name and the labels of a series. kInvalidArgument: they break the form, have no name,
// or have a label twice.
[[nodiscard]] Result<MetricSeries> ReadSeries(std::string_view series);

// A number as Prometheus writes it: a decimal one, "NaN", "+Inf", "-Inf"; none: it is no number.
[[nodiscard]] std::optional<double> ParseSampleNumber(std::string_view text);

// A time in seconds since the epoch, to the millisecond, which is what Prometheus counts in; none:
// it is further off than an Instant holds.
[[nodiscard]] std::optional<Instant> InstantOfSeconds(double seconds);

}  // namespace jettison
