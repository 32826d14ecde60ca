#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <utility>

#include "cli/import/import.h"
#include "cli/terminal/output.h"
#include "codec/prometheus/prometheus.h"

namespace jettison {
namespace {

// UIDs are long, and a query is sent as a whole.
constexpr std::size_t kPodsAtOnce = 100;

// A text as a regular expression (RE2) in a string of PromQL that matches it. Characters that
// neither can hold match any.
std::string AsPattern(std::string_view text) {
  std::string pattern;
  for (const char c : text) {
    const bool in_class = std::string_view(".+*?()|{}$").find(c) != std::string_view::npos;
    const bool is_rare = std::string_view("\\\"[]^\n").find(c) != std::string_view::npos;
    pattern += in_class ? fmt::format("[{}]", c) : std::string(1, is_rare ? '.' : c);
  }
  return pattern;
}

std::string OneOf(const std::set<std::string>& texts) {
  std::vector<std::string> patterns;
  for (const std::string& text : texts) patterns.push_back(AsPattern(text));
  return fmt::format("{}", fmt::join(patterns, "|"));
}

using std::chrono::milliseconds;

constexpr Duration kFirstWait = milliseconds(500);

// How much time one query covers, unless it is refused or takes too long.
constexpr Duration kMostPiece = std::chrono::hours(6);
constexpr Duration kLeastPiece = std::chrono::minutes(1);
constexpr std::string_view kForm = "application/x-www-form-urlencoded";

std::string SecondsText(Instant at) {
  const auto count = std::chrono::duration_cast<milliseconds>(at.time_since_epoch()).count();
  return fmt::format("{}.{:03}", count / 1000, count % 1000);
}

// Worth another try as it is.
bool IsPassing(int status) {
  return status == 429 || status == 502 || status == 503 || status == 504;
}

bool NeedsCredentials(int status) {
  return status == 401 || status == 403;
}

// What the API itself says, an error too. A query that took too long would do so again.
bool IsAnswer(const HttpResponse& answer) {
  if (answer.status == 200) return true;
  if (!answer.body.starts_with('{') || NeedsCredentials(answer.status)) return false;
  return !IsPassing(answer.status) || answer.body.find("\"timeout\"") != std::string::npos;
}

// What is no answer of the API itself: a proxy, or somebody who wants credentials. Redirects are
// not followed, because credentials would go with the request.
Error RefusalOf(const HttpResponse& answer) {
  const int status = answer.status;
  if (status >= 300 && status < 400) {
    std::string target;
    for (const auto& [name, value] : answer.headers) {
      if (name == "Location") target = " to " + value.substr(0, value.find('?'));
    }
    return {ErrorCode::kInvalidArgument,
            fmt::format("Prometheus answers {} and redirects{}, but redirects are not followed: "
                        "give the URL of Prometheus itself as SOURCE",
                        status, target)};
  }
  const std::string complaint = ComplaintIn(answer.body);
  std::string why = fmt::format("Prometheus answers {}", status);
  if (!complaint.empty()) why += fmt::format(" ({})", complaint);
  if (NeedsCredentials(status)) {
    return {ErrorCode::kPermissionDenied,
            why +
                ": it requires valid credentials; give them with --token-file or "
                "--basic-auth-file"};
  }
  return {IsPassing(status) ? ErrorCode::kUnavailable : ErrorCode::kInternal, why};
}

}  // namespace

std::vector<std::string> NodeQueries(const std::string& node, const NodeDirectory& directory) {
  using Key = NodeDirectory::Key;
  const std::string names = fmt::format("__name__=~\"{}\"", fmt::join(ImportedMetrics(), "|"));
  const std::string pattern = AsPattern(node);
  std::string instances = fmt::format("{}(:[0-9]+)?", pattern);
  const std::set<std::string> known = directory.KeysOf(Key::kInstance, node);
  if (!known.empty()) instances += "|" + OneOf(known);
  for (const std::string& address : directory.KeysOf(Key::kAddress, node)) {
    instances += fmt::format(R"(|.?{}.?(:[0-9]+)?)", AsPattern(address));
  }
  std::vector<std::string> queries = {
      fmt::format(R"({{{},node="",exported_node="",instance=~"{}"}})", names, instances),
      fmt::format(R"({{{},node=~"{}",exported_node=""}})", names, pattern),
      fmt::format(R"({{{},exported_node=~"{}"}})", names, pattern)};
  std::set<std::string> pods = directory.KeysOf(Key::kPod, node);
  while (!pods.empty()) {
    std::set<std::string> batch;
    while (!pods.empty() && batch.size() < kPodsAtOnce) batch.insert(pods.extract(pods.begin()));
    queries.push_back(
        fmt::format(R"({{{},node="",exported_node="",uid=~"{}"}})", names, OneOf(batch)));
  }
  return queries;
}

Result<std::string> PrometheusSource::Ask(const std::string& path, const std::string& form) {
  Duration wait = kFirstWait;
  for (int tries = 1;; ++tries) {
    auto answer = HttpPost(request_.target, request_.path_prefix + path, form, std::string(kForm));
    if (answer && IsAnswer(*answer)) return std::move(answer->body);
    const Error why = answer ? RefusalOf(*answer) : answer.error();
    if (why.code != ErrorCode::kUnavailable || tries == kMostTries) return Fail(why);
    PrintError("jettison: {}; asking again in {}\n", why.message, FormatDuration(wait));
    wait_(wait);
    wait *= 2;
  }
}

Result<void> PrometheusSource::Learn(NodeDirectory& directory) {
  std::string form = fmt::format("start={}&end={}", SecondsText(request_.options.from - kStaleness),
                                 SecondsText(request_.options.to));
  const std::string nodes = OneOf(request_.nodes);
  constexpr std::string_view kTellers = "kube_pod_info|kube_node_info|kubelet_node_name";
  for (const std::string& query :
       {fmt::format(R"({{__name__=~"{}",node=~"{}"}})", kTellers, nodes),
        fmt::format(R"({{__name__=~"{}",exported_node=~"{}"}})", kTellers, nodes),
        fmt::format(R"(node_uname_info{{nodename=~"{}"}})", nodes)}) {
    form += "&match%5B%5D=" + EncodedForUrl(query);
  }
  const auto answer = Ask("/api/v1/series", form);
  if (!answer) return Fail(answer.error());
  const auto read = ReadSeriesAnswer(*answer, [&](const MetricSeries& series) {
    if (const auto figure = FigureOf(series)) directory.Learn(*figure);
  });
  if (!read) return Fail(read.error().In(request_.options.source));
  warnings_.insert(read->begin(), read->end());
  return {};
}

Result<void> PrometheusSource::ReadInto(const std::string& node, const NodeDirectory& directory,
                                        SeriesSink& sink) {
  const std::vector<std::string> queries = NodeQueries(node, directory);
  const Instant begin = request_.options.from - kStaleness;
  const Instant end = request_.options.to;
  ProgressBar bar(true);
  for (std::size_t i = 0; i < queries.size(); ++i) {
    Duration length = kMostPiece;
    for (Instant at = begin; at < end;) {
      const Instant to = std::min(at + length, end);
      if (const auto read = ReadPiece(queries[i], at, to, sink); !read) {
        // Less of it may be had: it is too much at once, or takes too long.
        const ErrorCode code = read.error().code;
        const bool is_too_much =
            code == ErrorCode::kInternal || code == ErrorCode::kDeadlineExceeded;
        if (!is_too_much || length <= kLeastPiece) return read;
        length = std::max<Duration>(Elapsed(at, to) / 2, kLeastPiece);
        continue;
      }
      at = to;
      const double share = SecondsOf(Elapsed(begin, at)) / SecondsOf(Elapsed(begin, end));
      bar.Draw((static_cast<double>(i) + share) / static_cast<double>(queries.size()), node);
    }
  }
  return {};
}

Result<void> PrometheusSource::ReadPiece(const std::string& query, Instant from, Instant to,
                                         SeriesSink& sink) {
  const auto length = std::chrono::ceil<milliseconds>(Elapsed(from, to));
  const std::string form =
      fmt::format("query={}&time={}", EncodedForUrl(fmt::format("{}[{}ms]", query, length.count())),
                  SecondsText(to));
  const auto answer = Ask("/api/v1/query", form);
  if (!answer) return Fail(answer.error());
  const auto read = ReadQueryAnswer(*answer, sink);
  if (!read) {
    return Fail(read.error().In(
        fmt::format("{}: the query {}", request_.options.source, query.substr(0, 200))));
  }
  warnings_.insert(read->begin(), read->end());
  return {};
}

}  // namespace jettison
