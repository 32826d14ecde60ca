#include "sim/page/page_data.h"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <set>
#include <variant>
#include <vector>

#include "core/evaluate/evaluate.h"
#include "core/json/json_writer.h"
#include "core/model/pressure.h"
#include "core/model/signal.h"
#include "core/observe/observations.h"
#include "core/pass/pass.h"
#include "core/units/duration.h"
#include "sim/report/report_fields.h"

namespace jettison {
namespace {

using Stretch = SignalCourse::Stretch;

std::optional<Stretch> Joined(const std::optional<Stretch>& a, const std::optional<Stretch>& b) {
  if (!a || !b) return a ? a : b;
  return Stretch{std::min(a->least, b->least), std::max(a->most, b->most)};
}

}  // namespace

void SignalCourse::Add(Instant at, std::int64_t available) {
  const Stretch figure{available, available};
  if (stretches_.empty()) {
    from_ = at;
    extremes_ = figure;
  }
  if (at < from_) return;
  const Duration since = Elapsed(from_, at);
  while (since / width_ >= static_cast<Duration::rep>(kMostStretches)) Halve();
  const auto place = static_cast<std::size_t>(since / width_);
  if (place >= stretches_.size()) stretches_.resize(place + 1);
  stretches_[place] = Joined(stretches_[place], figure);
  extremes_ = *Joined(extremes_, figure);
}

void SignalCourse::Halve() {
  const std::size_t half = (stretches_.size() + 1) / 2;
  for (std::size_t i = 0; i < half; ++i) {
    const bool has_second = 2 * i + 1 < stretches_.size();
    stretches_[i] =
        has_second ? Joined(stretches_[2 * i], stretches_[2 * i + 1]) : stretches_[2 * i];
  }
  stretches_.resize(half);
  width_ *= 2;
}

void NodeCourses::Add(const RecordedItem& item) {
  const auto* pass = std::get_if<std::shared_ptr<const RecordedPass>>(&item);
  if (pass == nullptr) return;
  const CycleReport& report = (*pass)->report;
  for (const Signal signal : kAllSignals) {
    const auto& seen = report.observations[signal];
    if (!seen) continue;
    courses_[IndexOf(signal)].Add(report.at, seen->available);
    capacities_[IndexOf(signal)] = seen->capacity;
  }
}

namespace {

// Worth a plot: observed, and with a threshold in any of the policies.
std::vector<Signal> PlottedSignals(const SimulationReport& report) {
  std::vector<Signal> signals;
  for (const Signal signal : kAllSignals) {
    const auto is_watched = [signal](const PassPolicy& policy) {
      return std::ranges::any_of(policy.thresholds,
                                 [signal](const Threshold& t) { return t.signal == signal; });
    };
    if (!(*report.courses)[signal].empty() && std::ranges::any_of(report.policies, is_watched)) {
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

// The reports with the most to be told.
std::set<const SimulationReport*> DetailedReports(const std::vector<SimulationReport>& reports,
                                                  const Recommendation* all) {
  const auto harm_in = [all](const SimulationReport* report) {
    std::size_t harm = 0;
    for (std::size_t i = 0; i < report->outcomes.size(); ++i) {
      const PolicyOutcome& outcome = report->outcomes[i];
      if (IsTold(all, i)) harm += outcome.evictions.size() + outcome.oom_kills.size();
    }
    return harm;
  };
  std::vector<const SimulationReport*> order;
  for (const SimulationReport& report : reports) order.push_back(&report);
  std::ranges::stable_sort(order, std::greater(), harm_in);
  order.resize(std::min(order.size(), kMostDetailed));
  return {order.begin(), order.end()};
}

void PutPolicies(const SimulationReport& report, const Recommendation* all, bool is_detailed,
                 const std::vector<Signal>& signals, JsonWriter& json) {
  FieldWriter fields(json);
  json.Array("policies", [&] {
    for (std::size_t i = 0; i < report.outcomes.size(); ++i) {
      json.Object([&] {
        VisitCosts(fields, report.outcomes[i]);
        if (!is_detailed) return;
        PutThresholds(signals, report.policies[i], *report.courses, json);
        if (!IsTold(all, i)) return;
        const auto put_first = [&](std::string_view name, auto events) {
          events.resize(std::min(kMostOnPage, events.size()));
          fields(name, events);
        };
        put_first("evictions", report.outcomes[i].evictions);
        put_first("oomKills", report.outcomes[i].oom_kills);
      });
    }
  });
}

void PutRecording(const SimulationReport& report, const Recommendation* all, bool is_detailed,
                  JsonWriter& json) {
  json.Object([&] {
    json.Field("recording", report.recording());
    json.Field("detailed", is_detailed);
    WriteFields(report.facts, json);
    json.Object("calibration", [&] { WriteFields(report.calibration, json); });
    std::vector<Signal> signals;
    if (is_detailed) signals = PlottedSignals(report);
    json.Array("signals", [&] {
      for (const Signal signal : signals) PutCourse(signal, *report.courses, json);
    });
    PutPolicies(report, all, is_detailed, signals, json);
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

std::string PageData(const std::vector<SimulationReport>& reports, const Recommendation* all) {
  const auto detailed = DetailedReports(reports, all);
  std::string out;
  JsonWriter json(out);
  json.Object([&] {
    json.Field("kind", all == nullptr ? "Simulation" : "Recommendation");
    json.Array("recordings", [&] {
      for (const SimulationReport& report : reports) {
        PutRecording(report, all, detailed.contains(&report), json);
      }
    });
    if (all != nullptr) {
      json.Object("recommendation", [&] { PutRecommendation(*all, json); });
    }
  });
  return WithoutTags(out);
}

}  // namespace jettison
