// The library reports failures by code here; nothing in this file can throw but bad_alloc.
#define SIMDJSON_EXCEPTIONS 0
#include <fmt/format.h>
#include <simdjson.h>

#include <string>
#include <utility>

#include "codec/prometheus/prometheus.h"

namespace jettison {
namespace {

namespace dom = simdjson::dom;

tl::unexpected<Error> NoAnswer(std::string_view why) {
  return Fail(ErrorCode::kInvalidArgument,
              fmt::format("this is no answer of Prometheus' HTTP API: {}", why));
}

ErrorCode CodeOf(std::string_view kind) {
  if (kind == "bad_data") return ErrorCode::kInvalidArgument;
  if (kind == "timeout" || kind == "canceled") return ErrorCode::kDeadlineExceeded;
  if (kind == "unavailable") return ErrorCode::kUnavailable;
  return ErrorCode::kInternal;
}

std::string TextOf(dom::element element, const char* key) {
  std::string_view text;
  if (element[key].get(text) != simdjson::SUCCESS) return {};
  return std::string(text);
}

std::string ComplaintOf(dom::element answer) {
  std::string complaint = TextOf(answer, "error");
  return complaint.empty() ? TextOf(answer, "message") : complaint;
}

QueryWarnings WarningsOf(dom::element answer) {
  QueryWarnings warnings;
  dom::array all;
  if (answer["warnings"].get(all) != simdjson::SUCCESS) return warnings;
  for (const dom::element each : all) {
    std::string_view text;
    if (each.get(text) == simdjson::SUCCESS) warnings.emplace_back(text);
  }
  return warnings;
}

Result<dom::element> Parse(dom::parser& parser, std::string_view json) {
  dom::element answer;
  if (parser.parse(json.data(), json.size()).get(answer) != simdjson::SUCCESS) {
    return NoAnswer("it is no JSON");
  }
  const std::string status = TextOf(answer, "status");
  const std::string complaint = ComplaintOf(answer);
  if (status == "error") {
    // Proxies before a server, and servers that imitate Prometheus, leave out one of the two.
    const std::string kind = TextOf(answer, "errorType");
    const std::string_view colon = kind.empty() || complaint.empty() ? "" : ": ";
    if (!kind.empty() || !complaint.empty())
      return Fail(CodeOf(kind), fmt::format("{}{}{}", kind, colon, complaint));
    return Fail(ErrorCode::kInternal, "the server reports an error, but not which");
  }
  if (status.empty() && !complaint.empty()) {
    return NoAnswer(fmt::format("it has no status, but says: {}", complaint));
  }
  if (status != "success") return NoAnswer("it has no status");
  return answer;
}

Result<MetricSeries> SeriesOf(dom::element metric) {
  dom::object labels;
  if (metric.get(labels) != simdjson::SUCCESS) return NoAnswer("a series has no labels");
  MetricSeries series;
  for (const auto& [name, value] : labels) {
    std::string_view text;
    if (value.get(text) != simdjson::SUCCESS) return NoAnswer("a label is no text");
    if (name == "__name__") {
      series.name = std::string(text);
    } else {
      series.labels.emplace(std::string(name), std::string(text));
    }
  }
  return series;
}

Result<void> TakeSeries(dom::element each, SeriesSink& sink) {
  dom::element metric;
  dom::array values;
  if (each["metric"].get(metric) != simdjson::SUCCESS) return NoAnswer("a series has no labels");
  const auto series = SeriesOf(metric);
  if (!series) return Fail(series.error());
  if (each["values"].get(values) != simdjson::SUCCESS) return {};  // histograms alone
  if (!sink.Begin(*series)) return {};
  for (const dom::element sample : values) {  // [1767225600.123, "12.5"]
    double seconds = 0;
    std::string_view text;
    if (sample.at(0).get(seconds) != simdjson::SUCCESS ||
        sample.at(1).get(text) != simdjson::SUCCESS) {
      return NoAnswer("a sample is no pair of a time and a value");
    }
    const auto value = ParseSampleNumber(text);
    const auto at = InstantOfSeconds(seconds);
    if (!value || !at) return NoAnswer("a sample has no number, or a time that cannot be");
    if (auto taken = sink.Add(*at, *value); !taken) return taken;
  }
  return {};
}

}  // namespace

Result<QueryWarnings> ReadQueryAnswer(std::string_view json, SeriesSink& sink) {
  dom::parser parser;
  const auto answer = Parse(parser, json);
  if (!answer) return Fail(answer.error());
  std::string_view kind;
  dom::array result;
  const dom::element top = *answer;
  if (top["data"]["resultType"].get(kind) != simdjson::SUCCESS || kind != "matrix" ||
      top["data"]["result"].get(result) != simdjson::SUCCESS) {
    return NoAnswer("its result is no matrix");
  }
  for (const dom::element each : result) {
    if (auto taken = TakeSeries(each, sink); !taken) return Fail(taken.error());
  }
  return WarningsOf(top);
}

Result<QueryWarnings> ReadSeriesAnswer(std::string_view json,
                                       const std::function<void(const MetricSeries&)>& take) {
  dom::parser parser;
  const auto answer = Parse(parser, json);
  if (!answer) return Fail(answer.error());
  dom::array data;
  const dom::element top = *answer;
  if (top["data"].get(data) != simdjson::SUCCESS) return NoAnswer("it has no list of series");
  for (const dom::element each : data) {
    const auto series = SeriesOf(each);
    if (!series) return Fail(series.error());
    take(*series);
  }
  return WarningsOf(top);
}

std::string ComplaintIn(std::string_view json) {
  dom::parser parser;
  dom::element answer;
  if (parser.parse(json.data(), json.size()).get(answer) != simdjson::SUCCESS) return {};
  return ComplaintOf(answer);
}

}  // namespace jettison
