#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "core/metric_series/metric_series.h"
#include "core/units/result.h"

namespace jettison {

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
