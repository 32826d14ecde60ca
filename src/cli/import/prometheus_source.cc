#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <utility>

#include "cli/import/import.h"
#include "cli/terminal/output.h"
#include "codec/prometheus/query_answer.h"

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
    if (in_class) {
      pattern += fmt::format("[{}]", c);
    } else {
      pattern += is_rare ? '.' : c;
    }
  }
  return pattern;
}

std::string OneOf(const std::set<std::string>& texts) {
  std::vector<std::string> patterns;
  for (const std::string& text : texts) patterns.push_back(AsPattern(text));
  return fmt::format("{}", fmt::join(patterns, "|"));
}

std::string NamesOf(MetricScope scope) {
  return fmt::format("{}", fmt::join(MetricsOf(scope), "|"));
}

std::string AllNames() {
  return NamesOf(MetricScope::kScraped) + "|" + NamesOf(MetricScope::kCluster);
}

// Selectors in PromQL that match what tells which node is what: nodes, instances, pods.
std::vector<std::string> DiscoveryQueries(const std::set<std::string>& nodes) {
  const std::string pattern = OneOf(nodes);
  constexpr std::string_view kTellers = "kube_pod_info|kube_node_info|kubelet_node_name";
  return {fmt::format(R"({{__name__=~"{}",node=~"{}"}})", kTellers, pattern),
          fmt::format(R"({{__name__=~"{}",exported_node=~"{}"}})", kTellers, pattern),
          fmt::format(R"(node_uname_info{{nodename=~"{}"}})", pattern)};
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

// Redirects are not followed, because credentials would go with the request.
Error RedirectOf(const HttpResponse& answer) {
  const auto location =
      std::ranges::find(answer.headers, "Location", &std::pair<std::string, std::string>::first);
  const std::string target =
      location == answer.headers.end()
          ? ""
          : fmt::format(" to {}", location->second.substr(0, location->second.find('?')));
  return {ErrorCode::kInvalidArgument,
          fmt::format("Prometheus answers {} and redirects{}, but redirects are not followed: give "
                      "the URL of Prometheus itself as SOURCE",
                      answer.status, target)};
}

// What is no answer of the API itself: a proxy, or somebody who wants credentials.
Error RefusalOf(const HttpResponse& answer) {
  const int status = answer.status;
  if (status >= 300 && status < 400) return RedirectOf(answer);
  const std::string complaint = ComplaintIn(answer.body);
  const std::string reason = complaint.empty() ? "" : fmt::format(" ({})", complaint);
  if (NeedsCredentials(status)) {
    return {ErrorCode::kPermissionDenied,
            fmt::format("Prometheus answers {}{}: it requires valid credentials; give them with "
                        "--token-file or --basic-auth-file",
                        status, reason)};
  }
  return {IsPassing(status) ? ErrorCode::kUnavailable : ErrorCode::kInternal,
          fmt::format("Prometheus answers {}{}", status, reason)};
}

// Leaves out what belongs to another piece.
class PieceSink final : public SeriesSink {
 public:
  PieceSink(SeriesSink& sink, Instant from, Instant to) : sink_(sink), from_(from), to_(to) {}
  bool Begin(const MetricSeries& series) override { return sink_.Begin(series); }
  Result<void> Add(Instant at, double value) override {
    // Prometheus 2 counts the first moment in, Prometheus 3 does not.
    if (at <= from_ || at > to_) return {};
    return sink_.Add(at, value);
  }

 private:
  SeriesSink& sink_;
  const Instant from_;
  const Instant to_;
};

}  // namespace

std::vector<std::string> NodeQueries(const std::string& node, const NodeDirectory& directory) {
  const std::string pattern = AsPattern(node);
  std::string instances = fmt::format("{}(:[0-9]+)?", pattern);
  const std::set<std::string> known = directory.InstancesOf(node);
  if (!known.empty()) instances += "|" + OneOf(known);
  for (const std::string& address : directory.AddressesOf(node)) {
    instances += fmt::format(R"(|.?{}.?(:[0-9]+)?)", AsPattern(address));
  }
  std::vector<std::string> queries = {
      fmt::format(R"({{__name__=~"{}",node="",exported_node="",instance=~"{}"}})",
                  NamesOf(MetricScope::kScraped), instances),
      fmt::format(R"({{__name__=~"{}",node=~"{}",exported_node=""}})", AllNames(), pattern),
      fmt::format(R"({{__name__=~"{}",exported_node=~"{}"}})", AllNames(), pattern)};
  std::set<std::string> batch;
  const auto flush = [&] {
    if (batch.empty()) return;
    queries.push_back(fmt::format(R"({{__name__=~"{}",node="",exported_node="",uid=~"{}"}})",
                                  NamesOf(MetricScope::kCluster), OneOf(batch)));
    batch.clear();
  };
  for (const std::string& uid : directory.PodsOf(node)) {
    batch.insert(uid);
    if (batch.size() == kPodsAtOnce) flush();
  }
  flush();
  return queries;
}

Result<std::string> PrometheusSource::Ask(const std::string& path, const std::string& form) {
  Duration wait = kFirstWait;
  for (int tries = 1;; ++tries) {
    auto answer = HttpPost(request_.target, request_.path_prefix + path, form, std::string(kForm));
    Error why;
    if (!answer) {
      why = answer.error();
    } else if (IsAnswer(*answer)) {
      return std::move(answer->body);
    } else {
      why = RefusalOf(*answer);
    }
    if (why.code != ErrorCode::kUnavailable || tries == kMostTries) return Fail(why);
    PrintError("jettison: {}; asking again in {}\n", why.message, FormatDuration(wait));
    wait_(wait);
    wait *= 2;
  }
}

Result<void> PrometheusSource::Learn(NodeDirectory& directory) {
  std::string form = fmt::format("start={}&end={}", SecondsText(request_.options.from - kStaleness),
                                 SecondsText(request_.options.to));
  for (const std::string& query : DiscoveryQueries(request_.nodes)) {
    form += "&match%5B%5D=" + EncodedForUrl(query);
  }
  const auto answer = Ask("/api/v1/series", form);
  if (!answer) return Fail(answer.error());
  const auto read = ReadSeriesAnswer(*answer, [&](const MetricSeries& series) {
    if (const auto figure = FigureOf(series)) directory.Learn(*figure);
  });
  if (!read) return Fail(read.error().In(request_.options.source));
  warnings_.insert(read->warnings.begin(), read->warnings.end());
  return {};
}

Result<void> PrometheusSource::ReadInto(const std::string& node, const NodeDirectory& directory,
                                        SeriesSink& sink) {
  const std::vector<std::string> queries = NodeQueries(node, directory);
  const Instant begin = request_.options.from - kStaleness;
  const double whole = SecondsOf(Elapsed(begin, request_.options.to));
  const auto all = static_cast<double>(queries.size());
  ProgressBar bar(true);
  for (std::size_t i = 0; i < queries.size(); ++i) {
    const auto tell = [&](Instant until) {
      const double share = SecondsOf(Elapsed(begin, until)) / whole;
      bar.Draw((static_cast<double>(i) + share) / all, node);
    };
    if (auto read = ReadQuery(queries[i], sink, tell); !read) return read;
  }
  return {};
}

Result<void> PrometheusSource::ReadQuery(const std::string& query, SeriesSink& sink,
                                         const std::function<void(Instant)>& tell) {
  Duration length = kMostPiece;
  const Instant end = request_.options.to;
  Instant at = request_.options.from - kStaleness;
  while (at < end) {
    const Piece piece{.from = at, .to = std::min(at + length, end)};
    if (const auto read = ReadPiece(query, piece, sink); !read) {
      // Less of it may be had: it is too much at once, or takes too long.
      const ErrorCode code = read.error().code;
      const bool is_too_much = code == ErrorCode::kInternal || code == ErrorCode::kDeadlineExceeded;
      if (!is_too_much || length <= kLeastPiece) return read;
      length = std::max<Duration>(Elapsed(piece.from, piece.to) / 2, kLeastPiece);
      continue;
    }
    at = piece.to;
    tell(at);
  }
  return {};
}

Result<void> PrometheusSource::ReadPiece(const std::string& query, Piece piece, SeriesSink& sink) {
  const auto length = std::chrono::ceil<milliseconds>(Elapsed(piece.from, piece.to));
  const std::string form =
      fmt::format("query={}&time={}", EncodedForUrl(fmt::format("{}[{}ms]", query, length.count())),
                  SecondsText(piece.to));
  const auto answer = Ask("/api/v1/query", form);
  if (!answer) return Fail(answer.error());
  PieceSink taken(sink, piece.from, piece.to);
  const auto read = ReadQueryAnswer(*answer, taken);
  if (!read) {
    return Fail(read.error().In(
        fmt::format("{}: the query {}", request_.options.source, query.substr(0, 200))));
  }
  warnings_.insert(read->warnings.begin(), read->warnings.end());
  return {};
}

}  // namespace jettison
