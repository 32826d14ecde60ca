#include "sim/page/page_data.h"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <functional>
#include <numeric>
#include <vector>

#include "core/evaluate/evaluate.h"
#include "core/json/json_writer.h"
#include "core/model/pressure.h"
#include "core/model/signal.h"
#include "core/pass/pass.h"
#include "core/units/duration.h"
#include "sim/report/report_fields.h"

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

void PutPolicies(const PageInput& input, std::size_t node, bool is_detailed,
                 const std::vector<Signal>& signals, JsonWriter& json) {
  const SimulationReport& report = input.reports[node];
  FieldWriter fields(json);
  json.Array("policies", [&] {
    for (std::size_t i = 0; i < report.outcomes.size(); ++i) {
      json.Object([&] {
        VisitCosts(fields, report.outcomes[i]);
        if (!is_detailed) return;
        PutThresholds(signals, report.policies[i], input.courses[node], json);
        if (!IsTold(input.recommendation, i)) return;
        const auto put_first = [&](std::string_view name, auto all) {
          all.resize(std::min(kMostOnPage, all.size()));
          fields(name, all);
        };
        put_first("evictions", report.outcomes[i].evictions);
        put_first("oomKills", report.outcomes[i].oom_kills);
      });
    }
  });
}

void PutRecording(const PageInput& input, std::size_t node, bool is_detailed, JsonWriter& json) {
  const SimulationReport& report = input.reports[node];
  json.Object([&] {
    json.Field("recording", report.recording());
    json.Field("detailed", is_detailed);
    WriteFields(report.facts, json);
    json.Object("calibration", [&] { WriteFields(report.calibration, json); });
    std::vector<Signal> signals;
    if (is_detailed) signals = PlottedSignals(report, input.courses[node]);
    json.Array("signals", [&] {
      for (const Signal signal : signals) PutCourse(signal, input.courses[node], json);
    });
    PutPolicies(input, node, is_detailed, signals, json);
  });
}

// "<" occurs only in strings, where it may be written as its escape.
std::string WithoutTags(const std::string& json) {
  std::string safe;
  safe.reserve(json.size());
  for (const char& c : json) safe += c == '<' ? "\\u003c" : std::string_view(&c, 1);
  return safe;
}

}  // namespace

std::set<std::size_t> DetailedReports(const PageInput& input) {
  std::vector<std::size_t> order(input.reports.size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::stable_sort(order, std::greater(), [&](std::size_t i) { return HarmIn(input, i); });
  order.resize(std::min(order.size(), kMostDetailed));
  return {order.begin(), order.end()};
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
