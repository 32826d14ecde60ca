#include "sim/page/page_data.h"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <utility>
#include <vector>

#include "core/evaluate/evaluate.h"
#include "core/json/json_writer.h"
#include "core/model/pressure.h"
#include "core/model/signal.h"
#include "core/pass/pass.h"
#include "core/units/duration.h"
#include "sim/report/report_fields.h"
#include "sim/report/report_words.h"

namespace jettison {
namespace {

// Worth a plot: observed, and with a threshold in any of the policies.
std::vector<Signal> PlottedSignals(const SimulationReport& report, const NodeCourses& courses) {
  std::vector<Signal> signals;
  for (const Signal signal : kAllSignals) {
    const auto is_watched = [signal](const PassPolicy& policy) {
      return std::ranges::any_of(policy.thresholds,
                                 [signal](const Threshold& t) { return t.signal == signal; });
    };
    if (!courses[signal].empty() && std::ranges::any_of(report.policies, is_watched)) {
      signals.push_back(signal);
    }
  }
  return signals;
}

std::int64_t Millis(Instant at) {
  return std::chrono::floor<std::chrono::milliseconds>(at).time_since_epoch().count();
}

// How the page formats amounts of the signal.
std::string_view UnitOf(Signal signal) {
  if (IsPressure(signal)) return "percent";
  return UnitNameOf(signal) == "bytes" ? "bytes" : "count";
}

// Pressure is in hundredths of a percent, and is shown in percent.
double Shown(Signal signal, std::int64_t amount) {
  return IsPressure(signal) ? static_cast<double>(amount) / 100 : static_cast<double>(amount);
}

void PutCourse(Signal signal, const NodeCourses& courses, JsonWriter& json) {
  const SignalCourse& course = courses[signal];
  json.Object([&] {
    json.Field("name", NameOf(signal));
    json.Field("unit", UnitOf(signal));
    json.Field("capacity", Shown(signal, courses.CapacityOf(signal)));
    json.Field("from", Millis(course.from()));
    json.Field("width", course.width() / std::chrono::milliseconds(1));
    json.Array("points", [&] {
      for (std::size_t i = 0; i < course.stretches().size(); ++i) {
        const auto& stretch = course.stretches()[i];
        if (!stretch) continue;
        json.Array([&] {
          json.Number(i);
          json.Number(Shown(signal, stretch->least));
          json.Number(Shown(signal, stretch->most));
        });
      }
    });
  });
}

void PutWhen(const TimeBounds& when, JsonWriter& json) {
  json.Field("at", Millis(when.at));
  json.Field("earliest", Millis(when.earliest));
  json.Field("latest", Millis(when.latest));
}

void PutEviction(const SimulatedEviction& eviction, JsonWriter& json) {
  json.Object([&] {
    PutWhen(eviction.when, json);
    json.Field("pod", eviction.pod);
    if (!eviction.limit) json.Field("signal", NameOf(eviction.signal));
    json.Field("soft", eviction.soft);
    json.Field("why", ReasonText(eviction));
    json.Field("held", Shown(eviction.signal, eviction.held));
    json.Field("unit", eviction.limit ? "bytes" : UnitOf(eviction.signal));
    json.Field("recorded", eviction.as_recorded);
  });
}

void PutOomKill(const ForeseenOomKill& kill, JsonWriter& json) {
  json.Object([&] {
    PutWhen(kill.when, json);
    json.Field("pod", kill.pod);
    json.Field("why", NameOf(kill.why));
  });
}

void PutHarm(const PolicyOutcome& outcome, JsonWriter& json) {
  json.Array("evictions", [&] {
    for (std::size_t i = 0; i < std::min(kMostOnPage, outcome.evictions.size()); ++i) {
      PutEviction(outcome.evictions[i], json);
    }
  });
  json.Array("oomKills", [&] {
    for (std::size_t i = 0; i < std::min(kMostOnPage, outcome.oom_kills.size()); ++i) {
      PutOomKill(outcome.oom_kills[i], json);
    }
  });
}

void PutThresholds(const std::vector<Signal>& signals, const PassPolicy& policy,
                   const NodeCourses& courses, JsonWriter& json) {
  json.Object("thresholds", [&] {
    for (const Signal signal : signals) {
      json.Array(NameOf(signal), [&] {
        for (const Threshold& threshold : policy.thresholds) {
          if (threshold.signal != signal) continue;
          const Quantity at = QuantityOf(threshold.value, courses.CapacityOf(signal));
          json.Object([&] {
            json.Field("kind", threshold.IsHard() ? "hard" : "soft");
            json.Field("at", Shown(signal, at.Value()));
            json.Field("graceMs", threshold.grace_period / std::chrono::milliseconds(1));
          });
        }
      });
    }
  });
}

bool IsTold(const Recommendation* all, std::size_t i) {
  return all == nullptr || i == 0 || i == all->choice.chosen ||
         std::ranges::find(all->choice.front, i) != all->choice.front.end();
}

// How much there is to be told of a report.
std::size_t HarmIn(const PageInput& input, std::size_t node) {
  const std::vector<PolicyOutcome>& outcomes = input.reports[node].outcomes;
  std::size_t harm = 0;
  for (std::size_t i = 0; i < outcomes.size(); ++i) {
    if (!IsTold(input.recommendation, i)) continue;
    harm += outcomes[i].evictions.size() + outcomes[i].oom_kills.size();
  }
  return harm;
}

void PutCosts(const PolicyOutcome& outcome, JsonWriter& json) {
  json.Field("name", outcome.name);
  json.Field("evictionCount", outcome.evictions.size());
  json.Field("oomKillCount", outcome.oom_kills.size());
  json.Field("keptFreeGibHours", outcome.IdleGibHours());
  json.Field("conditionSeconds", SecondsOf(outcome.condition_time.Sum()));
  json.Field("podSecondsLost", SecondsOf(outcome.pod_time_lost));
}

void PutPolicy(const PageInput& input, std::size_t node, std::size_t i,
               const std::vector<Signal>& signals, JsonWriter& json) {
  const SimulationReport& report = input.reports[node];
  const PolicyOutcome& outcome = report.outcomes[i];
  json.Object([&] {
    PutCosts(outcome, json);
    PutThresholds(signals, report.policies[i], input.courses[node], json);
    if (IsTold(input.recommendation, i)) PutHarm(outcome, json);
  });
}

void PutDetails(const PageInput& input, std::size_t node, JsonWriter& json) {
  const SimulationReport& report = input.reports[node];
  const std::vector<Signal> signals = PlottedSignals(report, input.courses[node]);
  json.Array("signals", [&] {
    for (const Signal signal : signals) PutCourse(signal, input.courses[node], json);
  });
  json.Array("policies", [&] {
    for (std::size_t i = 0; i < report.outcomes.size(); ++i) {
      PutPolicy(input, node, i, signals, json);
    }
  });
}

void PutCostsAlone(const SimulationReport& report, JsonWriter& json) {
  json.Array("signals", [] {});
  json.Objects("policies", report.outcomes,
               [&](const PolicyOutcome& outcome) { PutCosts(outcome, json); });
}

void PutRecording(const PageInput& input, std::size_t node, bool is_detailed, JsonWriter& json) {
  const SimulationReport& report = input.reports[node];
  json.Object([&] {
    json.Field("recording", report.recording());
    json.Field("detailed", is_detailed);
    WriteFields(report.facts, json);
    json.Object("calibration", [&] { WriteFields(report.calibration, json); });
    if (is_detailed) {
      PutDetails(input, node, json);
    } else {
      PutCostsAlone(report, json);
    }
  });
}

// "<" occurs only in strings, where it may be written as its escape.
std::string WithoutTags(const std::string& json) {
  std::string safe;
  safe.reserve(json.size());
  for (const char c : json) {
    if (c == '<') {
      safe += "\\u003c";
    } else {
      safe += c;
    }
  }
  return safe;
}

}  // namespace

std::set<std::size_t> DetailedReports(const PageInput& input) {
  std::vector<std::pair<std::size_t, std::size_t>> order;  // by harm, and the place
  for (std::size_t i = 0; i < input.reports.size(); ++i) order.emplace_back(HarmIn(input, i), i);
  std::ranges::sort(order, [](const auto& a, const auto& b) {
    return a.first != b.first ? a.first > b.first : a.second < b.second;
  });
  order.resize(std::min(order.size(), kMostDetailed));
  std::set<std::size_t> places;
  for (const auto& [harm, place] : order) places.insert(place);
  return places;
}

std::string PageData(const PageInput& input) {
  const std::set<std::size_t> detailed = DetailedReports(input);
  std::string out;
  JsonWriter json(out);
  json.Object([&] {
    json.Field("kind", input.recommendation == nullptr ? "Simulation" : "Recommendation");
    json.Array("recordings", [&] {
      for (std::size_t i = 0; i < input.reports.size(); ++i) {
        PutRecording(input, i, detailed.contains(i), json);
      }
    });
    if (input.recommendation != nullptr) {
      json.Object("recommendation", [&] { PutRecommendation(*input.recommendation, json); });
    }
  });
  return WithoutTags(out);
}

}  // namespace jettison
