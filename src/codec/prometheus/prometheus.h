#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

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

// The warnings that the HTTP API of Prometheus gives beside its data.
using QueryWarnings = std::vector<std::string>;

// Reads the answer to a query whose result is a matrix, and hands over its series with their
// samples. An answer that is an error is one, in the words of Prometheus:
// - kInvalidArgument: a query that it refuses ("bad_data"), or a text that is no such answer;
// - kDeadlineExceeded: "timeout" or "canceled"; kUnavailable: "unavailable";
// - kInternal: anything else, "execution" among them, as where there are too many samples.
// Errors of the sink end it.
[[nodiscard]] Result<QueryWarnings> ReadQueryAnswer(std::string_view json, SeriesSink& sink);

// The answer to `/api/v1/series`: what there is, without samples.
[[nodiscard]] Result<QueryWarnings> ReadSeriesAnswer(
    std::string_view json, const std::function<void(const MetricSeries&)>& take);

// What an answer that is an error gives as the reason: "error" as Prometheus has it, "message" as
// gateways in front of it do; empty if it is no JSON, or has neither.
[[nodiscard]] std::string ComplaintIn(std::string_view json);

}  // namespace jettison
