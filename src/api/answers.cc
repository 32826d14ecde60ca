#include "api/answers.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "api/dashboard/page.h"
#include "api/kubernetes/objects.h"
#include "api/overview/overview.h"
#include "codec/flight/recording_writer.h"
#include "core/explanation/explanation.h"
#include "core/json/json_writer.h"
#include "core/pass/pass.h"
#include "core/recording/recording.h"
#include "core/shadow/shadow_pairing.h"
#include "core/text/number.h"
#include "core/text/spelling.h"
#include "view/served_recording.h"

namespace jettison {
namespace {

std::int64_t MillisecondsOf(Instant at) {
  return std::chrono::duration_cast<std::chrono::milliseconds>(at.time_since_epoch()).count();
}

// Each is written out with everything that it was made of.
constexpr std::size_t kCycles = 10;
constexpr std::size_t kMostCycles = 100;

// Whether a body of that type is read; neither its parameters matter nor its case.
bool IsDocumentType(std::string_view type) {
  std::string name(type.substr(0, type.find_first_of("; ")));
  std::ranges::transform(name, name.begin(), Lower);
  return name == "application/json" || name == "application/yaml" || name == "application/x-yaml" ||
         name == "text/yaml";
}

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
    ranked_for = SignalNamed(*name);
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

}  // namespace jettison
