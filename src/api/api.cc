#include "api/api.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <utility>
#include <vector>

#include "api/answers.h"
#include "api/configz.h"
#include "api/kubernetes/objects.h"
#include "api/metrics/metrics.h"
#include "core/text/parts.h"
#include "core/text/spelling.h"

namespace jettison {
namespace {

// What must be there for a route to be answered.
enum class Needs : std::uint8_t {
  kNothing,
  kSnapshot,  // the agent has begun
  kPass,      // and has made a pass
};

struct Route {
  std::string_view method;
  std::string_view path;        // a last "*" stands for one part that is not empty
  std::string_view parameters;  // that may be given, separated by blanks
  std::string_view type;        // of what is answered; empty: the answer says so itself
  Needs needs = Needs::kNothing;
  HttpResponse (*answer)(const Call& call) = nullptr;
};

// The answer that a snapshot alone gives.
template <std::string (*kBody)(const Snapshot&)>
HttpResponse Of(const Call& call) {
  return Body(kBody(*call.snapshot));
}

// Everything that is answered. docs/http.md has a row for each, which a test compares.
const std::vector<Route>& Routes() {
  static const std::vector<Route> kRoutes = {
      {"GET", "/", "", kHtml, Needs::kNothing, AnswerDashboard},
      {"GET", "/dashboard", "", kHtml, Needs::kNothing, AnswerDashboard},
      {"GET", "/healthz", "verbose", kText, Needs::kNothing, AnswerProbe},
      {"GET", "/livez", "verbose", kText, Needs::kNothing, AnswerProbe},
      {"GET", "/readyz", "verbose", kText, Needs::kNothing, AnswerProbe},
      {"GET", "/metrics", "", kMetrics, Needs::kSnapshot,
       [](const Call& call) {
         const Instant before = std::exchange(call.scraped_at, call.snapshot->at);
         return Body(MetricsPage(*call.snapshot, before));
       }},
      {"GET", "/stats/summary", "", kJson, Needs::kPass, Of<StatsSummaryJson>},
      {"GET", "/pods", "", kJson, Needs::kSnapshot, Of<PodListJson>},
      {"GET", "/configz", "", kJson, Needs::kSnapshot,
       [](const Call& call) { return Body(ConfigzJson(call.snapshot->node->config)); }},
      {"GET", "/api/v1/node", "", kJson, Needs::kSnapshot,
       [](const Call& call) { return Body(NodeJson(*call.snapshot, call.sources.host)); }},
      {"GET", "/api/v1/events", "", kJson, Needs::kSnapshot, Of<EventListJson>},
      {"GET", "/api/v1/cycles", "n", kNdjson, Needs::kSnapshot, AnswerCycles},
      {"GET", "/api/v1/overview", "signal", kJson, Needs::kSnapshot, AnswerOverview},
      {"GET", "/api/v1/history", "", kJson, Needs::kSnapshot, Of<HistoryJson>},
      {"GET", "/api/v1/explain", "eviction output pod", "", Needs::kSnapshot, AnswerExplain},
      {"GET", "/api/v1/evictions", "", kJson, Needs::kSnapshot, AnswerEvictions},
      {"GET", "/api/v1/evictions/*", "output", "", Needs::kSnapshot, AnswerEviction},
      {"GET", "/api/v1/rank", "output signal", "", Needs::kPass, AnswerRank},
      {"GET", "/api/v1/recording", "since until", kRecording, Needs::kSnapshot, AnswerRecording},
      {"GET", "/api/v1/shadow", "", kJson, Needs::kSnapshot, AnswerShadow},
      {"POST", "/api/v1/admit", "", kJson, Needs::kSnapshot, AnswerPodAdmission},
      {"GET", "/api/v1/watch", "", kEvents, Needs::kNothing,
       [](const Call& call) {
         return HttpResponse{.stream = call.watch.Open(call.request.last_event_id)};
       }},
  };
  return kRoutes;
}

bool MatchesPath(const Route& route, std::string_view path, std::string_view& rest) {
  if (!route.path.ends_with('*')) return route.path == path;
  const std::string_view start = route.path.substr(0, route.path.size() - 1);
  if (!path.starts_with(start)) return false;
  rest = path.substr(start.size());
  return !rest.empty() && rest.find('/') == std::string_view::npos;
}

HttpResponse UnknownPath(std::string_view path) {
  std::vector<std::string_view> paths;
  for (const Route& route : Routes()) {
    if (paths.empty() || paths.back() != route.path) paths.push_back(route.path);
  }
  return StatusAnswer(404, fmt::format("there is no endpoint \"{}\"{}; the endpoints are: {}", path,
                                       DidYouMean(path, paths), fmt::join(paths, " ")));
}

HttpResponse WrongMethod(const HttpRequest& request, std::string_view allowed) {
  HttpResponse answer = StatusAnswer(405, fmt::format("{} is not allowed at {}; allowed: {}",
                                                      request.method, request.path, allowed));
  answer.headers.emplace_back("Allow", std::string(allowed));
  return answer;
}

std::optional<HttpResponse> WrongParameter(const Route& route, const HttpRequest& request) {
  std::vector<std::string_view> known;
  for (std::string_view names = route.parameters; !names.empty();) {
    known.push_back(TakePart(names, ' '));
  }
  for (const auto& [name, value] : request.query) {
    if (std::ranges::find(known, name) != known.end()) {
      if (name != "output" || value == "text" || value == "json") continue;
      return StatusAnswer(400, "output must be \"text\" or \"json\"");
    }
    const std::string allowed =
        known.empty() ? "it takes none" : fmt::format("it takes: {}", Alternatives(known));
    return StatusAnswer(400, fmt::format("{} has no parameter \"{}\"{}; {}", route.path, name,
                                         DidYouMean(name, known), allowed));
  }
  return std::nullopt;
}

// The route of a request, or why there is none: 400 for a parameter that it does not know, 404,
// 405. `rest` is set where its path ends in "*".
tl::expected<const Route*, HttpResponse> FindRoute(const HttpRequest& request,
                                                   std::string_view& rest) {
  std::string allowed;
  for (const Route& route : Routes()) {
    if (!MatchesPath(route, request.path, rest)) continue;
    if (route.method != request.method) {
      allowed += fmt::format("{}{}{}", allowed.empty() ? "" : ", ", route.method,
                             route.method == "GET" ? ", HEAD" : "");
      continue;
    }
    if (auto refusal = WrongParameter(route, request)) return tl::unexpected(*std::move(refusal));
    return &route;
  }
  return tl::unexpected(allowed.empty() ? UnknownPath(request.path)
                                        : WrongMethod(request, allowed));
}

std::optional<HttpResponse> Missing(Needs needs, const Snapshot* snapshot) {
  if (needs == Needs::kNothing) return std::nullopt;
  if (snapshot == nullptr || !snapshot->node) {
    return StatusAnswer(503, "the agent is not ready yet: the container runtime has not answered");
  }
  return needs == Needs::kPass ? NoPassYet(*snapshot) : std::nullopt;
}

// While the loop hangs, what it showed last is what there is, and its age grows.
std::shared_ptr<const Snapshot> WithAge(std::shared_ptr<const Snapshot> snapshot,
                                        const ApiSources& sources) {
  if (!snapshot) return snapshot;
  std::string hang = HangOf(sources, kHangs);
  if (hang.empty()) return snapshot;
  auto aged = std::make_shared<Snapshot>(*snapshot);
  aged->at = sources.now();
  aged->loop_error = std::move(hang) + "; what is shown is from then";
  return aged;
}

}  // namespace

std::optional<std::string_view> Call::Parameter(std::string_view name) const {
  const auto found = request.query.find(name);
  if (found == request.query.end()) return std::nullopt;
  return found->second;
}

Api::Api(ApiSources sources)
    : sources_(std::move(sources)), watch_(std::make_shared<Watch>(sources_.board, sources_.now)) {}

HttpResponse Api::Answer(const HttpRequest& request) {
  std::string_view rest;
  const auto found = FindRoute(request, rest);
  if (!found) return found.error();
  const Route& route = **found;
  const auto snapshot =
      route.needs == Needs::kNothing ? nullptr : WithAge(sources_.board.Look(), sources_);
  if (auto refusal = Missing(route.needs, snapshot.get())) return *std::move(refusal);
  HttpResponse answer = route.answer({.request = request,
                                      .rest = rest,
                                      .snapshot = snapshot.get(),
                                      .sources = sources_,
                                      .watch = *watch_,
                                      .scraped_at = scraped_at_});
  if (answer.status == 200 && !route.type.empty()) answer.content_type = route.type;
  if (answer.content_type == kJson && !answer.body.ends_with('\n')) answer.body += '\n';
  if (snapshot && !snapshot->loop_error.empty() && answer.content_type == kText) {
    answer.body.insert(0, snapshot->loop_error + "\n\n");
  }
  return answer;
}

}  // namespace jettison
