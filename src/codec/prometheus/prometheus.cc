// The library reports failures by code here; nothing in this file can throw but bad_alloc.
#define SIMDJSON_EXCEPTIONS 0
#include "codec/prometheus/prometheus.h"

#include <fmt/format.h>
#include <simdjson.h>

#include <chrono>
#include <cmath>
#include <utility>

#include "core/text/number.h"

namespace jettison {
namespace {

namespace dom = simdjson::dom;

ErrorCode CodeOf(std::string_view kind) {
  if (kind == "bad_data") return ErrorCode::kInvalidArgument;
  if (kind == "timeout" || kind == "canceled") return ErrorCode::kDeadlineExceeded;
  if (kind == "unavailable") return ErrorCode::kUnavailable;
  return ErrorCode::kInternal;
}

std::string_view TextOf(dom::element element, const char* key) {
  std::string_view text;
  if (element[key].get(text) != simdjson::SUCCESS) return {};
  return text;
}

// False from here on: the answer is of another form.

bool TakeLabels(dom::element from, MetricSeries& series) {
  dom::object labels;
  if (from.get(labels) != simdjson::SUCCESS) return false;
  for (const auto& [name, value] : labels) {
    std::string_view text;
    if (value.get(text) != simdjson::SUCCESS) return false;
    (name == "__name__" ? series.name : series.labels[std::string(name)]) = std::string(text);
  }
  return true;
}

// A sample is [1767225600.123, "12.5"], in seconds since the epoch.
bool TakeSamples(dom::array from, MetricSeries& series) {
  constexpr double kMostSeconds = 9e9;  // an Instant ends in the year 2262
  for (const dom::element pair : from) {
    double seconds = 0;
    std::string_view text;
    if (pair.at(0).get(seconds) != simdjson::SUCCESS || pair.at(1).get(text) != simdjson::SUCCESS) {
      return false;
    }
    if (text.starts_with('+')) text.remove_prefix(1);  // "+Inf"
    const auto value = ParseNumber<double>(text);
    if (!value || std::abs(seconds) > kMostSeconds) return false;
    if (!std::isfinite(*value)) continue;
    series.samples.push_back(
        {Instant(std::chrono::milliseconds(std::llround(seconds * 1e3))), *value});
  }
  return true;
}

bool TakeSeries(dom::element data, std::vector<MetricSeries>& all) {
  dom::array items;
  if (data.get(items) == simdjson::SUCCESS) {
    for (const dom::element labels : items) {
      if (!TakeLabels(labels, all.emplace_back())) return false;
    }
    return true;
  }
  if (TextOf(data, "resultType") != "matrix") return false;
  if (data["result"].get(items) != simdjson::SUCCESS) return false;
  for (const dom::element item : items) {
    MetricSeries& series = all.emplace_back();
    dom::element labels;
    dom::array samples;
    if (item["metric"].get(labels) != simdjson::SUCCESS || !TakeLabels(labels, series))
      return false;
    const bool has_samples = item["values"].get(samples) == simdjson::SUCCESS;
    if (has_samples && !TakeSamples(samples, series)) return false;
  }
  return true;
}

}  // namespace

Result<PrometheusAnswer> ReadPrometheusAnswer(std::string_view json) {
  dom::parser parser;
  dom::element top;
  dom::element data;
  const bool is_json = parser.parse(json.data(), json.size()).get(top) == simdjson::SUCCESS;
  if (is_json && TextOf(top, "status") == "error") {
    // Proxies before a server, and servers that imitate Prometheus, leave out one of the two.
    const std::string_view kind = TextOf(top, "errorType");
    const std::string_view complaint = TextOf(top, "error");
    const std::string_view colon = kind.empty() || complaint.empty() ? "" : ": ";
    std::string message = fmt::format("{}{}{}", kind, colon, complaint);
    if (message.empty()) message = "the server reports an error, but not which";
    return Fail(CodeOf(kind), std::move(message));
  }
  PrometheusAnswer answer;
  if (!is_json || TextOf(top, "status") != "success" ||
      top["data"].get(data) != simdjson::SUCCESS || !TakeSeries(data, answer.series)) {
    constexpr std::size_t kMostShown = 200;
    return Fail(
        ErrorCode::kInvalidArgument,
        fmt::format("this is no answer of Prometheus' HTTP API: {}", json.substr(0, kMostShown)));
  }
  dom::array warnings;
  if (top["warnings"].get(warnings) != simdjson::SUCCESS) return answer;
  for (const dom::element each : warnings) {
    std::string_view text;
    if (each.get(text) == simdjson::SUCCESS) answer.warnings.emplace_back(text);
  }
  return answer;
}

}  // namespace jettison
