// The library reports failures by code here; nothing in this file can throw but bad_alloc.
#define SIMDJSON_EXCEPTIONS 0
#include "codec/prometheus/query_answer.h"

#include <fmt/format.h>
#include <simdjson.h>

#include <string>
#include <utility>

#include "codec/prometheus/sample_text.h"

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

QueryRemarks RemarksOf(dom::element answer) {
  QueryRemarks remarks;
  dom::array warnings;
  if (answer["warnings"].get(warnings) != simdjson::SUCCESS) return remarks;
  for (const dom::element each : warnings) {
    std::string_view text;
    if (each.get(text) == simdjson::SUCCESS) remarks.warnings.emplace_back(text);
  }
  return remarks;
}

// Proxies before a server, and servers that imitate Prometheus, leave out one of the two, or both.
tl::unexpected<Error> ReportedError(std::string_view kind, std::string_view complaint) {
  if (kind.empty() && complaint.empty()) {
    return Fail(ErrorCode::kInternal, "the server reports an error, but not which");
  }
  return Fail(CodeOf(kind), fmt::format("{}{}{}", kind,
                                        kind.empty() || complaint.empty() ? "" : ": ", complaint));
}

Result<dom::element> Parse(dom::parser& parser, std::string_view json) {
  dom::element answer;
  if (parser.parse(json.data(), json.size()).get(answer) != simdjson::SUCCESS) {
    return NoAnswer("it is no JSON");
  }
  const std::string status = TextOf(answer, "status");
  const std::string complaint = ComplaintOf(answer);
  if (status == "error") return ReportedError(TextOf(answer, "errorType"), complaint);
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

// [1767225600.123, "12.5"]
Result<void> TakeSample(dom::element sample, SeriesSink& sink) {
  dom::array pair;
  double seconds = 0;
  std::string_view text;
  if (sample.get(pair) != simdjson::SUCCESS || pair.size() != 2 ||
      pair.at(0).get(seconds) != simdjson::SUCCESS || pair.at(1).get(text) != simdjson::SUCCESS) {
    return NoAnswer("a sample is no pair of a time and a value");
  }
  const auto value = ParseSampleNumber(text);
  const auto at = InstantOfSeconds(seconds);
  if (!value || !at) return NoAnswer("a sample has no number, or a time that cannot be");
  return sink.Add(*at, *value);
}

Result<void> TakeSeries(dom::element each, SeriesSink& sink) {
  dom::element metric;
  dom::array values;
  if (each["metric"].get(metric) != simdjson::SUCCESS) return NoAnswer("a series has no labels");
  const auto series = SeriesOf(metric);
  if (!series) return Fail(series.error());
  if (each["values"].get(values) != simdjson::SUCCESS) return {};  // histograms alone
  if (!sink.Begin(*series)) return {};
  for (const dom::element sample : values) {
    if (auto taken = TakeSample(sample, sink); !taken) return taken;
  }
  return {};
}

}  // namespace

Result<QueryRemarks> ReadQueryAnswer(std::string_view json, SeriesSink& sink) {
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
  return RemarksOf(top);
}

Result<QueryRemarks> ReadSeriesAnswer(std::string_view json,
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
  return RemarksOf(top);
}

std::string ComplaintIn(std::string_view json) {
  dom::parser parser;
  dom::element answer;
  if (parser.parse(json.data(), json.size()).get(answer) != simdjson::SUCCESS) return {};
  return ComplaintOf(answer);
}

}  // namespace jettison
