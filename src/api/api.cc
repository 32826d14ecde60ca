#include "api/api.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <set>
#include <tl/expected.hpp>
#include <utility>
#include <vector>

#include "api/dashboard/page.h"
#include "api/metrics/metrics.h"
#include "api/overview/overview.h"
#include "codec/flight/recording_writer.h"
#include "core/json/json_writer.h"
#include "core/pass/pass.h"
#include "core/recording/recording.h"
#include "core/shadow/shadow_book.h"
#include "core/text/number.h"
#include "core/text/parts.h"
#include "core/text/spelling.h"
#include "kernel/procfs/procfs.h"

namespace jettison {
namespace {

std::int64_t MillisecondsOf(Instant at) {
  return std::chrono::duration_cast<std::chrono::milliseconds>(at.time_since_epoch()).count();
}

// Each is written out with everything that it was made of.
constexpr std::size_t kCycles = 10;
constexpr std::size_t kMostCycles = 100;

Result<std::optional<Instant>> TimeIn(const Call& call, std::string_view name) {
  const auto text = call.Parameter(name);
  if (!text || text->empty()) return std::nullopt;
  const auto at = ParseInstant(*text);
  if (!at) return Fail(at.error().In(name));
  return *at;
}

RecordingAbout AboutOf(const Snapshot& snapshot) {
  if (snapshot.node == nullptr) return {.maker = "jettison", .profile = Profile::kStandalone};
  const AgentConfig& config = snapshot.node->config;
  return {.at = snapshot.node->started_at,
          .node = config.node_name,
          .maker = "jettison",
          .profile = config.profile,
          .settings = RecordedSettings{config.monitoring_interval, config.eviction_backoff.initial,
                                       config.eviction_backoff.max}};
}

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
      {"GET", "/healthz", "verbose", kAsText, Needs::kNothing, AnswerProbe},
      {"GET", "/livez", "verbose", kAsText, Needs::kNothing, AnswerProbe},
      {"GET", "/readyz", "verbose", kAsText, Needs::kNothing, AnswerProbe},
      {"GET", "/metrics", "", kAsMetrics, Needs::kSnapshot,
       [](const Call& call) {
         const Instant before = std::exchange(call.scraped_at, call.snapshot->at);
         const auto process = ReadOwnProcess();
         return Body(MetricsText(*call.snapshot, before, process ? &*process : nullptr));
       }},
      {"GET", "/stats/summary", "", kAsJson, Needs::kPass, Of<StatsSummaryJson>},
      {"GET", "/pods", "", kAsJson, Needs::kSnapshot, Of<PodListJson>},
      {"GET", "/configz", "", kAsJson, Needs::kSnapshot,
       [](const Call& call) { return Body(ConfigzJson(call.snapshot->node->config)); }},
      {"GET", "/api/v1/node", "", kAsJson, Needs::kSnapshot, Of<NodeJson>},
      {"GET", "/api/v1/events", "", kAsJson, Needs::kSnapshot, Of<EventListJson>},
      {"GET", "/api/v1/cycles", "n", kAsNdjson, Needs::kSnapshot, AnswerCycles},
      {"GET", "/api/v1/overview", "signal", kAsJson, Needs::kSnapshot, AnswerOverview},
      {"GET", "/api/v1/history", "", kAsJson, Needs::kSnapshot, Of<HistoryJson>},
      {"GET", "/api/v1/explain", "eviction output pod", "", Needs::kSnapshot, AnswerExplain},
      {"GET", "/api/v1/evictions", "", kAsJson, Needs::kSnapshot, AnswerEvictions},
      {"GET", "/api/v1/evictions/*", "output", "", Needs::kSnapshot, AnswerEviction},
      {"GET", "/api/v1/rank", "output signal", "", Needs::kPass, AnswerRank},
      {"GET", "/api/v1/recording", "since until", kRecording, Needs::kSnapshot, AnswerRecording},
      {"GET", "/api/v1/shadow", "", kAsJson, Needs::kSnapshot, AnswerShadow},
      {"POST", "/api/v1/admit", "", kAsJson, Needs::kSnapshot,
       [](const Call& call) { return AnswerAdmit(*call.snapshot, call.request.body); }},
      {"GET", "/api/v1/watch", "", kEvents, Needs::kNothing,
       [](const Call& call) {
         return HttpResponse{
             .stream = OpenWatch(call.sources.board, call.sources.now, call.request.last_event_id)};
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

std::optional<HttpResponse> NoPassYet(const Snapshot& snapshot) {
  if (snapshot.passes > 0 && snapshot.summary && snapshot.policy) return std::nullopt;
  return StatusAnswer(503, "the agent has made no pass yet, so nothing is measured");
}

HttpResponse WrongSignal(std::string_view name) {
  std::vector<std::string_view> names;
  for (const Signal each : kAllSignals) names.push_back(NameOf(each));
  return StatusAnswer(400, fmt::format("signal is \"{}\"{}; it must be one of {}", name,
                                       DidYouMean(name, names), fmt::join(names, ", ")));
}

HttpResponse AnswerDashboard(const Call&) {
  return {.body = std::string(DashboardPage()),
          .headers = {{"Content-Security-Policy", std::string(DashboardPolicy())},
                      {"Referrer-Policy", "no-referrer"}}};
}

HttpResponse AnswerOverview(const Call& call) {
  std::optional<Signal> ranked_for;
  if (const auto name = call.Parameter("signal")) {
    ranked_for = EnumeratorNamed<Signal>(*name);
    if (!ranked_for) return WrongSignal(*name);
  }
  return Body(OverviewJson(OverviewOf(*call.snapshot, ranked_for)));
}

HttpResponse AnswerCycles(const Call& call) {
  std::size_t count = kCycles;
  if (const auto text = call.Parameter("n")) {
    const auto number = ParseNumber<std::size_t>(*text);
    if (!number || *number == 0 || *number > kMostCycles) {
      return StatusAnswer(400, fmt::format("n must be a whole number from 1 to {}, not \"{}\"",
                                           kMostCycles, *text));
    }
    count = *number;
  }
  return Body(CyclesText(*call.snapshot, count));
}

std::string CyclesText(const Snapshot& snapshot, std::size_t count) {
  std::string text;
  LineWriter writer([&text](std::string_view line) -> Result<void> {
    text += line;
    return {};
  });
  for (count = std::min(count, snapshot.cycles.size());; count /= 2) {
    text.clear();
    (void)writer.Add(AboutOf(snapshot));
    for (std::size_t i = snapshot.cycles.size() - count; i < snapshot.cycles.size(); ++i) {
      (void)writer.Add(snapshot.cycles[i]);
    }
    if (text.size() <= kMostCyclesBytes || count <= 1) return text;
  }
}

HttpResponse AnswerShadow(const Call& call) {
  const auto& shadow = call.snapshot->shadow;
  if (!shadow) {
    return StatusAnswer(404,
                        "the agent is not in shadow mode, which takes source: kubernetes and "
                        "dryRun: true");
  }
  return Body(ShadowJson(*shadow));
}

HttpResponse AnswerRecording(const Call& call) {
  const auto since = TimeIn(call, "since");
  if (!since) return StatusAnswer(400, since.error().message);
  const auto until = TimeIn(call, "until");
  if (!until) return StatusAnswer(400, until.error().message);
  if (*since && *until && **since > **until) {
    return StatusAnswer(400, "since is later than until: no pass lies between them");
  }
  const auto& recording = call.snapshot->recording;
  if (!recording) return StatusAnswer(404, "nothing is recorded: recording.enabled is false");
  auto fetch = recording->Fetch({.since = *since, .until = *until}, call.sources.wake_streams);
  if (!fetch) {
    HttpResponse answer = StatusAnswer(503, fetch.error().In("the recording").message);
    answer.headers.emplace_back("Retry-After", "10");  // seconds
    return answer;
  }
  // It needs the recording until its end, and goes before it.
  return {.stream = [way = std::pair(recording, *std::move(fetch))] { return way.second(); }};
}

std::string HistoryJson(const Snapshot& snapshot) {
  return JsonObject([&](JsonWriter& json) {
    json.Field("at", MillisecondsOf(snapshot.at));
    json.Array("times", [&] {
      for (const SignalSample& sample : snapshot.history) json.Number(MillisecondsOf(sample.at));
    });
    std::set<Signal> watched;
    for (const ThresholdView& view : snapshot.thresholds) watched.insert(view.threshold.signal);
    json.Objects("signals", watched, [&](Signal signal) {
      json.Field("signal", NameOf(signal));
      json.Field("unit", UnitNameOf(signal));
      json.Array("available", [&] {
        // A sample that did not see the signal is null: every list is as long as `times`.
        for (const SignalSample& sample : snapshot.history) {
          const std::size_t at = IndexOf(signal);
          sample.known[at] ? json.Number(sample.available[at]) : json.Null();
        }
      });
    });
    json.Array("evictions", [&] {
      for (const auto& pass : snapshot.cycles) {
        for (const EvictionRecord& eviction : pass->report.evictions) {
          json.Object([&] {
            json.Field("at", MillisecondsOf(pass->report.at));
            json.Field("pod", NameOfPod(*pass, eviction.order.pod_uid));
            const auto& acting_for = pass->report.acting_for;
            if (acting_for) json.Field("signal", NameOf(acting_for->signal));
            json.Field("message", eviction.order.message);
          });
        }
      }
    });
    json.Array("passes", [&] {
      for (const auto& pass : snapshot.cycles) WriteForm(OverviewPassOf(pass->report), json);
    });
  });
}

std::optional<std::string_view> Call::Parameter(std::string_view name) const {
  const auto found = request.query.find(name);
  if (found == request.query.end()) return std::nullopt;
  return found->second;
}

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
                                      .scraped_at = scraped_at_});
  if (answer.status == 200 && !route.type.empty()) answer.content_type = route.type;
  if (answer.content_type == kAsJson && !answer.body.ends_with('\n')) answer.body += '\n';
  if (snapshot && !snapshot->loop_error.empty() && answer.content_type == kAsText) {
    answer.body.insert(0, snapshot->loop_error + "\n\n");
  }
  return answer;
}

}  // namespace jettison
