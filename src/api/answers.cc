#include "api/answers.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "api/admit.h"
#include "api/cycles.h"
#include "api/dashboard/page.h"
#include "api/kubernetes/status_object.h"
#include "api/kubernetes/version.h"
#include "api/overview/overview_json.h"
#include "api/probes.h"
#include "core/text/ascii.h"

namespace jettison {
namespace {

// Each is written out with everything that it was made of.
constexpr std::size_t kCycles = 10;
constexpr std::size_t kMostCycles = 100;

bool IsVerbose(const Call& call) {
  return call.Parameter("verbose").value_or("false") != "false";
}

std::optional<std::size_t> NumberOf(std::string_view text) {
  std::size_t number = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc{} || stop != end) return std::nullopt;
  return number;
}

// Whether a body of that type is read; neither its parameters matter nor its case.
bool IsDocumentType(std::string_view type) {
  std::string name(type.substr(0, type.find_first_of("; ")));
  std::ranges::transform(name, name.begin(), Lower);
  return name == "application/json" || name == "application/yaml" || name == "application/x-yaml" ||
         name == "text/yaml";
}

}  // namespace

LoopTurns TurnsOf(const ApiSources& sources) {
  const auto turned = sources.board.last_turn();
  if (turned && Elapsed(*turned, sources.now()) > kHangs) {
    (void)sources.board.Look(Duration::zero());
  }
  return {.last = sources.board.last_turn(), .waiting_since = sources.started_at};
}

HttpResponse AnswerLivez(const Call& call) {
  return ProbeAnswer("livez", LiveChecks(TurnsOf(call.sources), call.sources.now(), kWorthRestart),
                     IsVerbose(call));
}

HttpResponse AnswerHealthz(const Call& call) {
  return ProbeAnswer("healthz", LiveChecks(TurnsOf(call.sources), call.sources.now(), kHangs),
                     IsVerbose(call));
}

HttpResponse AnswerReadyz(const Call& call) {
  const auto snapshot = call.sources.board.Look();
  return ProbeAnswer("readyz",
                     ReadyChecks(TurnsOf(call.sources), snapshot.get(), call.sources.now()),
                     IsVerbose(call));
}

HttpResponse AnswerDashboard(const Call&) {
  HttpResponse answer;
  answer.body = DashboardPage();
  answer.headers.emplace_back("Content-Security-Policy", std::string(DashboardPolicy()));
  answer.headers.emplace_back("Referrer-Policy", "no-referrer");
  return answer;
}

HttpResponse AnswerOverview(const Call& call) {
  std::optional<Signal> ranked_for;
  if (const auto name = call.Parameter("signal")) {
    ranked_for = SignalNamed(*name);
    if (!ranked_for) {
      return StatusAnswer(400, fmt::format("there is no signal \"{}\"; give a signal as in "
                                           "evictionHard, such as memory.available",
                                           *name));
    }
  }
  HttpResponse answer;
  answer.body = OverviewJson(*call.snapshot, {.version = Version(), .ranked_for = ranked_for});
  return answer;
}

HttpResponse AnswerCycles(const Call& call) {
  std::size_t count = kCycles;
  if (const auto text = call.Parameter("n")) {
    const auto number = NumberOf(*text);
    if (!number || *number == 0 || *number > kMostCycles) {
      return StatusAnswer(400, fmt::format("n must be a whole number from 1 to {}, not \"{}\"",
                                           kMostCycles, *text));
    }
    count = *number;
  }
  HttpResponse answer;
  answer.body = CyclesText(*call.snapshot, count);
  return answer;
}

HttpResponse AnswerPodAdmission(const Call& call) {
  if (!IsDocumentType(call.request.content_type)) {
    return StatusAnswer(415,
                        fmt::format("the body must be a v1.Pod with Content-Type application/json "
                                    "or application/yaml, not {}",
                                    call.request.content_type.empty()
                                        ? "without one"
                                        : std::string_view(call.request.content_type)));
  }
  return AnswerAdmit(*call.snapshot, call.request.body);
}

HttpResponse AnswerWatch(const Call& call) {
  HttpResponse answer;
  answer.headers.emplace_back("Cache-Control", "no-store");
  answer.stream = call.watch.Open(call.request.last_event_id);
  return answer;
}

}  // namespace jettison
