#include "api/api.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "api/answers.h"
#include "api/configz.h"
#include "api/kubernetes/objects.h"
#include "api/kubernetes/status_object.h"
#include "api/metrics/metrics_text.h"
#include "api/route.h"

namespace jettison {
namespace {

HttpResponse Body(std::string text) {
  HttpResponse answer;
  answer.body = std::move(text);
  return answer;
}

// Everything that is answered. docs/http.md has a row for each, which a test compares.
const std::vector<Route>& Routes() {
  using C = const Call&;
  static const std::vector<Route> kRoutes = {
      {"GET", "/", "", kHtml, Needs::kNothing, AnswerDashboard},
      {"GET", "/dashboard", "", kHtml, Needs::kNothing, AnswerDashboard},
      {"GET", "/healthz", "verbose", kText, Needs::kNothing, AnswerHealthz},
      {"GET", "/livez", "verbose", kText, Needs::kNothing, AnswerLivez},
      {"GET", "/readyz", "verbose", kText, Needs::kNothing, AnswerReadyz},
      {"GET", "/metrics", "", kMetrics, Needs::kSnapshot,
       [](C call) { return Body(MetricsPage(*call.snapshot)); }},
      {"GET", "/stats/summary", "", kJson, Needs::kPass,
       [](C call) { return Body(StatsSummaryJson(*call.snapshot)); }},
      {"GET", "/pods", "", kJson, Needs::kSnapshot,
       [](C call) { return Body(PodListJson(*call.snapshot)); }},
      {"GET", "/configz", "", kJson, Needs::kSnapshot,
       [](C call) { return Body(ConfigzJson(call.snapshot->node->config)); }},
      {"GET", "/api/v1/node", "", kJson, Needs::kSnapshot,
       [](C call) { return Body(NodeJson(*call.snapshot, call.sources.host)); }},
      {"GET", "/api/v1/events", "", kJson, Needs::kSnapshot,
       [](C call) { return Body(EventListJson(*call.snapshot)); }},
      {"GET", "/api/v1/cycles", "n", kNdjson, Needs::kSnapshot, AnswerCycles},
      {"GET", "/api/v1/overview", "signal", kJson, Needs::kSnapshot, AnswerOverview},
      {"GET", "/api/v1/history", "", kJson, Needs::kSnapshot,
       [](C call) { return Body(HistoryJson(*call.snapshot)); }},
      {"GET", "/api/v1/explain", "eviction output pod", kJson, Needs::kSnapshot, AnswerExplain,
       true},
      {"GET", "/api/v1/evictions", "", kJson, Needs::kSnapshot, AnswerEvictions},
      {"GET", "/api/v1/evictions/*", "output", kJson, Needs::kSnapshot, AnswerEviction, true},
      {"GET", "/api/v1/rank", "output signal", kJson, Needs::kPass, AnswerRank, true},
      {"GET", "/api/v1/recording", "since until", kRecording, Needs::kSnapshot, AnswerRecording},
      {"GET", "/api/v1/shadow", "", kJson, Needs::kSnapshot, AnswerShadow},
      {"POST", "/api/v1/admit", "", kJson, Needs::kSnapshot, AnswerPodAdmission},
      {"GET", "/api/v1/watch", "", kEvents, Needs::kNothing, AnswerWatch},
  };
  return kRoutes;
}

std::optional<HttpResponse> Missing(Needs needs, const Snapshot* snapshot) {
  if (needs == Needs::kNothing) return std::nullopt;
  if (snapshot == nullptr || !snapshot->node) {
    return StatusAnswer(503, "the agent is not ready yet: the container runtime has not answered");
  }
  if (needs == Needs::kPass && (snapshot->passes == 0 || !snapshot->summary)) {
    return StatusAnswer(503, "the agent has made no pass yet, so nothing is measured");
  }
  return std::nullopt;
}

// While the loop hangs, what it showed last is what there is, and its age grows.
std::shared_ptr<const Snapshot> WithAge(std::shared_ptr<const Snapshot> snapshot,
                                        const ApiSources& sources) {
  if (!snapshot) return snapshot;
  const Instant now = sources.now();
  std::string hang = HangOf(TurnsOf(sources), now, kHangs);
  if (hang.empty()) return snapshot;
  auto aged = std::make_shared<Snapshot>(*snapshot);
  aged->at = now;
  aged->loop_error = std::move(hang) + "; what is shown is from then";
  return aged;
}

}  // namespace

Api::Api(ApiSources sources)
    : sources_(std::move(sources)), watch_(std::make_shared<Watch>(sources_.board, sources_.now)) {}

HttpResponse Api::Answer(const HttpRequest& request) {
  const RouteFound found = FindRoute(Routes(), request);
  if (found.refusal) return *found.refusal;
  const Route& route = *found.route;
  const auto snapshot =
      route.needs == Needs::kNothing ? nullptr : WithAge(sources_.board.Look(), sources_);
  if (auto refusal = Missing(route.needs, snapshot.get())) return *std::move(refusal);
  HttpResponse answer = route.answer({.request = request,
                                      .rest = found.rest,
                                      .snapshot = snapshot.get(),
                                      .sources = sources_,
                                      .watch = *watch_});
  if (answer.status == 200 && !route.text_too) answer.content_type = route.type;
  if (snapshot && !snapshot->loop_error.empty() && answer.content_type == kText) {
    answer.body.insert(0, snapshot->loop_error + "\n\n");
  }
  return answer;
}

}  // namespace jettison
