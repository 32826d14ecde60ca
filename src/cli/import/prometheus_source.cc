#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <iterator>
#include <utility>

#include "cli/import/import.h"
#include "cli/terminal/output.h"
#include "codec/prometheus/prometheus.h"
#include "sim/imported/queries.h"
#include "sim/imported/tracks.h"

namespace jettison {
namespace {

using std::chrono::milliseconds;

// How much time one query covers, unless it is refused or takes too long.
constexpr Duration kMostPiece = std::chrono::hours(6);
constexpr Duration kLeastPiece = std::chrono::minutes(1);

std::string SecondsText(Instant at) {
  const auto count = std::chrono::duration_cast<milliseconds>(at.time_since_epoch()).count();
  return fmt::format("{}.{:03}", count / 1000, count % 1000);
}

bool NeedsCredentials(int status) {
  return status == 401 || status == 403;
}

// What is worth another try as it is. A query that took too long would do so again.
bool IsPassing(const HttpResponse& answer) {
  const int status = answer.status;
  return (status == 429 || status == 502 || status == 503 || status == 504) &&
         answer.body.find("\"timeout\"") == std::string::npos;
}

// Of the API itself, an error too; else it is of a proxy, or of somebody who wants credentials.
bool IsOfApi(const HttpResponse& answer) {
  return answer.status == 200 ||
         (answer.body.starts_with('{') && !IsPassing(answer) && !NeedsCredentials(answer.status));
}

// Redirects are not followed, because credentials would go with the request.
Error RefusalOf(const HttpResponse& answer) {
  constexpr std::size_t kMostShown = 200;
  std::string why = fmt::format("Prometheus answers {}", answer.status);
  for (const auto& [name, value] : answer.headers) {
    if (name != "Location") continue;
    return {ErrorCode::kInvalidArgument,
            fmt::format("{} and redirects to {}, but redirects are not followed: give the URL of "
                        "Prometheus itself as SOURCE",
                        why, value.substr(0, value.find('?')))};
  }
  if (answer.body.starts_with('{')) why += fmt::format(" ({})", answer.body.substr(0, kMostShown));
  if (NeedsCredentials(answer.status)) {
    why += ": it requires valid credentials; give them with --token-file or --basic-auth-file";
    return {ErrorCode::kPermissionDenied, why};
  }
  return {IsPassing(answer) ? ErrorCode::kUnavailable : ErrorCode::kInternal, why};
}

Result<PrometheusAnswer> Ask(const ImportRequest& request, const std::string& path,
                             const std::string& form, const std::function<void(Duration)>& wait) {
  Duration pause = milliseconds(500);
  for (int tries = 1;; ++tries) {
    const auto answer = HttpPost(request.target, request.path_prefix + path, form,
                                 "application/x-www-form-urlencoded");
    if (answer && IsOfApi(*answer)) return ReadPrometheusAnswer(answer->body);
    const Error why = answer ? RefusalOf(*answer) : answer.error();
    if (why.code != ErrorCode::kUnavailable || tries == kMostTries) return Fail(why);
    PrintError("jettison: {}; asking again in {}\n", why.message, FormatDuration(pause));
    wait(pause);
    pause *= 2;
  }
}

}  // namespace

Result<PrometheusAnswer> ReadNode(const ImportRequest& request, const std::string& node,
                                  const std::function<void(Duration)>& wait) {
  const Instant begin = request.options.from - kStaleness;
  const Instant end = request.options.to;
  std::string form = fmt::format("start={}&end={}", SecondsText(begin), SecondsText(end));
  for (const std::string& query : NamingQueries(node)) {
    form += "&match%5B%5D=" + EncodedForUrl(query);
  }
  auto data = Ask(request, "/api/v1/series", form, wait);
  if (!data) return Fail(data.error().In(request.options.source));
  NodeNames names{.node = node, .instances = {}, .pod_uids = {}};
  const auto [first, last] = request.instances_of.equal_range(node);
  for (auto it = first; it != last; ++it) names.instances.insert(AsPattern(it->second));
  for (const MetricSeries& series : std::exchange(data->series, {})) Learn(series, names);

  const std::vector<std::string> queries = QueriesFor(names);
  ProgressBar bar(true);
  for (std::size_t i = 0; i < queries.size(); ++i) {
    Duration length = kMostPiece;
    for (Instant at = begin; at < end;) {
      const Instant to = std::min(at + length, end);
      const auto covered = std::chrono::ceil<milliseconds>(Elapsed(at, to));
      auto piece =
          Ask(request, "/api/v1/query",
              fmt::format("query={}&time={}",
                          EncodedForUrl(fmt::format("{}[{}ms]", queries[i], covered.count())),
                          SecondsText(to)),
              wait);
      if (!piece) {
        // Less of it may be had: it is too much at once, or takes too long.
        const ErrorCode code = piece.error().code;
        const bool is_too_much =
            code == ErrorCode::kInternal || code == ErrorCode::kDeadlineExceeded;
        if (!is_too_much || length <= kLeastPiece) {
          return Fail(piece.error().In(
              fmt::format("{}: the query {}", request.options.source, queries[i].substr(0, 200))));
        }
        length = std::max<Duration>(Elapsed(at, to) / 2, kLeastPiece);
        continue;
      }
      std::ranges::move(piece->series, std::back_inserter(data->series));
      std::ranges::move(piece->warnings, std::back_inserter(data->warnings));
      at = to;
      const double share = SecondsOf(Elapsed(begin, at)) / SecondsOf(Elapsed(begin, end));
      bar.Draw((static_cast<double>(i) + share) / static_cast<double>(queries.size()), node);
    }
  }
  return data;
}

}  // namespace jettison
