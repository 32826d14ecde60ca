#include "api/history_json.h"

#include <algorithm>
#include <chrono>
#include <string_view>
#include <vector>

#include "api/overview/overview_json.h"
#include "core/explanation/explanation.h"
#include "core/json/json_writer.h"
#include "core/pass/recorded_pass.h"

namespace jettison {
namespace {

std::int64_t MillisecondsOf(Instant at) {
  return std::chrono::duration_cast<std::chrono::milliseconds>(at.time_since_epoch()).count();
}

// A sample that did not see the signal is null, so that every list is as long as `times`.
void WriteSignal(JsonWriter& json, const std::vector<SignalSample>& history, Signal signal) {
  json.Object([&] {
    json.Field("signal", NameOf(signal));
    json.Field("unit", UnitNameOf(signal));
    json.Array("available", [&] {
      for (const SignalSample& sample : history) {
        if (sample.known[IndexOf(signal)]) {
          json.Number(sample.available[IndexOf(signal)]);
        } else {
          json.Null();
        }
      }
    });
  });
}

void WriteEvictions(JsonWriter& json, const RecordedPass& pass) {
  for (const EvictionRecord& eviction : pass.report.evictions) {
    json.Object([&] {
      json.Field("at", MillisecondsOf(pass.report.at));
      json.Field("pod", NameOfPod(pass, eviction.order.pod_uid));
      if (pass.report.acting_for) json.Field("signal", NameOf(pass.report.acting_for->signal));
      json.Field("message", eviction.order.message);
    });
  }
}

}  // namespace

std::string HistoryJson(const Snapshot& snapshot) {
  std::string text;
  JsonWriter json(text);
  json.Object([&] {
    json.Field("at", MillisecondsOf(snapshot.at));
    json.Array("times", [&] {
      for (const SignalSample& sample : snapshot.history) json.Number(MillisecondsOf(sample.at));
    });
    json.Array("signals", [&] {
      for (const Signal signal : kAllSignals) {
        const bool watched = std::ranges::any_of(
            snapshot.thresholds,
            [signal](const ThresholdView& view) { return view.threshold.signal == signal; });
        if (watched) WriteSignal(json, snapshot.history, signal);
      }
    });
    json.Array("evictions", [&] {
      for (const auto& pass : snapshot.cycles) WriteEvictions(json, *pass);
    });
    json.Array("passes", [&] {
      for (const auto& pass : snapshot.cycles) WritePass(json, OverviewPassOf(pass->report));
    });
  });
  return text;
}

}  // namespace jettison
