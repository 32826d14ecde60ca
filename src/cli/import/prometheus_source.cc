#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <iterator>
#include <set>
#include <string_view>
#include <utility>

#include "cli/import/import.h"
#include "cli/terminal/output.h"
#include "codec/prometheus/prometheus.h"
#include "sim/imported/convert.h"

namespace jettison {
namespace {

using std::chrono::milliseconds;

// How much time one query covers, unless it is refused or takes too long.
// Samples of a node that are held, 16 bytes each.
constexpr std::size_t kMostSamples = std::size_t{48} << 20;
constexpr Duration kMostPiece = std::chrono::hours(6);
constexpr Duration kLeastPiece = std::chrono::minutes(1);

std::string SecondsText(Instant at) {
  return fmt::format("{:.3f}", SecondsOf(at.time_since_epoch()));
}

// The metrics that are read, as patterns. These are scraped on the node.
constexpr std::string_view kOnNode =
    "container_(fs_usage_bytes|memory_working_set_bytes|oom_events_total|spec_memory_limit_bytes"
    "|threads)"
    "|jettison_pod_(disk_used_(bytes|inodes)|evictions_total|info|last_eviction_timestamp_seconds"
    "|(request|limit)_bytes|memory_(peak|working_set)_bytes|oom_kills_total|priority|processes)"
    "|jettison_signal_(available|available_min|capacity)"
    "|kubelet_(container_log_filesystem_used_bytes|evictions)"
    "|(machine_memory|node_memory_MemTotal|(node|pod)_memory_working_set)_bytes"
    "|node_filesystem_((avail|size)_bytes|files|files_free)"
    "|node_processes_(max_processes|threads)";
// The metrics of kube-state-metrics, which knows all nodes: with the label `node`, and without.
constexpr std::string_view kOfNode =
    "kube_node_status_capacity|kube_pod_info|kube_pod_container_resource_(limits|requests)";
constexpr std::string_view kOfPod = "kube_pod_(completion_time|status_reason)";

// Prometheus looks up no more than 256 alternatives one by one, and compares each value otherwise.
constexpr std::size_t kPodsAtOnce = 100;

// A text as a regular expression (RE2) in a string of PromQL which matches it. Characters that
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

// What the series of a node are found by.
struct NodeNames {
  std::string node;       // as a pattern
  std::string instances;  // a pattern of the label, of what is scraped on the node
  std::set<std::string> pod_uids;
};

// Takes what a series tells of the node, unless its `node` is that of its scraper.
void Learn(const MetricSeries& series, const std::string& node, NodeNames& names) {
  const std::string_view exported = series.Label("exported_node");
  if (!exported.empty() && exported != node) return;
  if (const std::string_view uid = series.Label("uid"); !uid.empty()) names.pod_uids.emplace(uid);
  if (const std::string_view address = series.Label("internal_ip"); !address.empty()) {
    names.instances += fmt::format("|[[]?{}[]]?(:[0-9]+)?", AsPattern(address));  // [::1]:9100
  }
  const std::string_view instance = series.Label("instance");
  if (instance.empty() || series.name.starts_with("kube_")) return;
  names.instances += "|" + AsPattern(instance);
}

// The query list: selectors that together match all series of a node that are read.
std::vector<std::string> QueriesFor(const NodeNames& names) {
  const std::string all = fmt::format("{}|{}", kOnNode, kOfNode);
  std::vector<std::string> queries = {
      fmt::format(R"({{__name__=~"{}",node="",exported_node="",instance=~"{}"}})", kOnNode,
                  names.instances),
      fmt::format(R"({{__name__=~"{}",node=~"{}",exported_node=""}})", all, names.node),
      fmt::format(R"({{__name__=~"{}",exported_node=~"{}"}})", all, names.node)};
  for (std::set<std::string> left = names.pod_uids; !left.empty();) {
    std::vector<std::string> uids;
    while (!left.empty() && uids.size() < kPodsAtOnce) {
      uids.push_back(AsPattern(left.extract(left.begin()).value()));
    }
    queries.push_back(fmt::format(R"({{__name__=~"{}",reason=~"|Evicted",uid=~"{}"}})", kOfPod,
                                  fmt::join(uids, "|")));
  }
  return queries;
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
    if (answer && IsOfApi(*answer)) {
      auto read = ReadPrometheusAnswer(answer->body);
      if (!read) return Fail(read.error().In(request.options.source));
      return read;
    }
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
  // Many set-ups name the instance after the node, with or without a port.
  const std::string name = AsPattern(node);
  NodeNames names{.node = name, .instances = name + "(:[0-9]+)?", .pod_uids = {}};
  const auto [first, last] = request.instances_of.equal_range(node);
  for (auto it = first; it != last; ++it) names.instances += "|" + AsPattern(it->second);
  constexpr std::string_view kTellers = "kube_pod_info|kube_node_info|kubelet_node_name";
  std::string form = fmt::format("start={}&end={}", SecondsText(begin), SecondsText(end));
  for (const std::string& query :
       {fmt::format(R"({{__name__=~"{}",node=~"{}"}})", kTellers, name),
        fmt::format(R"({{__name__=~"{}",exported_node=~"{}"}})", kTellers, name),
        fmt::format(R"(node_uname_info{{nodename=~"{}"}})", name)}) {
    form += "&match%5B%5D=" + EncodedForUrl(query);
  }
  auto data = Ask(request, "/api/v1/series", form, wait);
  if (!data) return Fail(data.error());
  for (const MetricSeries& series : std::exchange(data->series, {})) Learn(series, node, names);

  const std::vector<std::string> queries = QueriesFor(names);
  ProgressBar bar(true);
  std::size_t held = 0;
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
          return Fail(piece.error().In("the query " + queries[i].substr(0, 200)));
        }
        length = std::max<Duration>(Elapsed(at, to) / 2, kLeastPiece);
        continue;
      }
      for (const MetricSeries& series : piece->series) held += series.samples.size();
      if (held > kMostSamples) {
        return Fail(
            ErrorCode::kInvalidArgument,
            fmt::format("{}: there are more than {} samples, which is the most that is held "
                        "in memory: import less time at once",
                        node, kMostSamples));
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
