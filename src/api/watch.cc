#include <fmt/format.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "agent/notify/eviction_history.h"
#include "api/api.h"
#include "api/overview/overview.h"
#include "core/json/json_writer.h"
#include "core/pass/pass.h"
#include "core/text/number.h"
#include "core/text/parts.h"

namespace jettison {
namespace {

constexpr Duration kStatusInterval = std::chrono::seconds(1);
constexpr Duration kKeepAlive = std::chrono::seconds(15);

// How far a client has been told.
struct WatchCursor {
  std::int64_t run = 0;              // which run of the agent: when it began, in ns; 0: none yet
  std::uint64_t event = 0;           // the last event, by its sequence
  std::uint64_t pass = 0;            // the last pass, by its number
  std::vector<bool> conditions{};    // as they were told, by place; empty: not yet
  std::optional<Instant> status_at;  // when the node's status was last told
};

// One frame; `data` is JSON of one line.
void Append(std::string_view type, std::string_view data, const WatchCursor& cursor,
            std::string& out) {
  fmt::format_to(std::back_inserter(out), "id: {}-{}-{}\nevent: {}\ndata: {}\n\n", cursor.run,
                 cursor.event, cursor.pass, type, data);
}

void AppendConditions(const Snapshot& snapshot, WatchCursor& cursor, std::string& out) {
  const auto& views = snapshot.condition_views;
  const bool all = cursor.conditions.size() != views.size();
  cursor.conditions.resize(views.size());
  for (std::size_t i = 0; i < views.size(); ++i) {
    if (!all && cursor.conditions[i] == views[i].status) continue;
    cursor.conditions[i] = views[i].status;
    Append("condition", ConditionJson(views[i], snapshot.at), cursor, out);
  }
}

void AppendEvents(const Snapshot& snapshot, WatchCursor& cursor, std::string& out) {
  if (snapshot.events.empty() || snapshot.events.back().sequence <= cursor.event) return;
  for (const LoggedEvent& event : snapshot.events) {
    if (event.sequence <= cursor.event) continue;
    cursor.event = event.sequence;
    Append("event", EventJson(event, snapshot.node->config.node_name), cursor, out);
  }
}

std::string PassJson(const RecordedPass& pass) {
  const CycleReport& report = pass.report;
  return JsonObject([&](JsonWriter& json) {
    json.Field("number", pass.number);
    json.Field("at", FormatInstant(report.at));
    if (report.acting_for) json.Field("actingFor", NameOf(report.acting_for->signal));
    json.Array("reclaimed", [&] {
      for (const ReclaimStep step : report.reclaim_attempted) json.String(NameOf(step));
    });
    json.Field("reclaimUnderWay", report.reclaim_under_way);
    json.Field("relievedByReclaim", report.relieved_by_reclaim);
    json.Array("evictions", [&] {
      for (const EvictionRecord& eviction : report.evictions) json.String(eviction.order.pod_uid);
    });
    json.Array("signals", [&] {
      for (const Signal signal : kAllSignals) {
        const auto& seen = report.observations[signal];
        if (!seen) continue;
        json.Object([&] {
          json.Field("signal", NameOf(signal));
          json.Field("available", seen->available);
          json.Field("capacity", seen->capacity);
        });
      }
    });
  });
}

// By which its explanation is asked for; absent where that is not kept (any more).
std::optional<std::string> IdOf(const Snapshot& snapshot, const RecordedPass& pass,
                                const EvictionRecord& eviction) {
  if (!snapshot.evictions) return std::nullopt;
  for (const auto& kept : *snapshot.evictions) {
    if (kept->at == pass.report.at && kept->pod.uid == eviction.order.pod_uid) return kept->id;
  }
  return std::nullopt;
}

std::string EvictionJson(const Snapshot& snapshot, const RecordedPass& pass,
                         const EvictionRecord& eviction) {
  return JsonObject([&](JsonWriter& json) {
    json.Field("id", IdOf(snapshot, pass, eviction));
    json.Field("pass", pass.number);
    json.Field("at", FormatInstant(pass.report.at));
    json.Field("pod", NameOfPod(pass, eviction.order.pod_uid));
    json.Field("uid", eviction.order.pod_uid);
    if (pass.report.acting_for) json.Field("signal", NameOf(pass.report.acting_for->signal));
    json.Field("reason", eviction.order.reason);
    json.Field("message", eviction.order.message);
    json.Field("gracePeriodSeconds", eviction.order.grace_period_seconds);
    json.Field("error", eviction.kill_error);
  });
}

void AppendPasses(const Snapshot& snapshot, WatchCursor& cursor, std::string& out) {
  for (const auto& pass : snapshot.cycles) {
    if (pass->number <= cursor.pass) continue;
    for (const EvictionRecord& eviction : pass->report.evictions) {
      Append("eviction", EvictionJson(snapshot, *pass, eviction), cursor, out);
    }
    cursor.pass = pass->number;
    Append("pass", PassJson(*pass), cursor, out);
  }
}

void AppendStatus(const Snapshot& snapshot, WatchCursor& cursor, std::string& out) {
  if (cursor.status_at && Elapsed(*cursor.status_at, snapshot.at) < kStatusInterval) return;
  cursor.status_at = snapshot.at;
  Append("status", OverviewJson(OverviewOf(snapshot)), cursor, out);
}

// After the frame of that id; at the beginning where it is none.
WatchCursor CursorAt(std::string_view last_event_id) {
  const auto run = ParseNumber<std::int64_t>(TakePart(last_event_id, '-'));
  const auto event = ParseNumber<std::uint64_t>(TakePart(last_event_id, '-'));
  const auto pass = ParseNumber<std::uint64_t>(TakePart(last_event_id, '-'));
  if (!run || !event || !pass || !last_event_id.empty()) return {};
  return {.run = *run, .event = *event, .pass = *pass};
}

// Everything that is new since the cursor, which it moves on. Empty where there is nothing.
std::string WatchFrames(const Snapshot& snapshot, WatchCursor& cursor) {
  const std::int64_t run = snapshot.node->started_at.time_since_epoch().count();
  if (cursor.run != run) cursor = {.run = run};
  std::string out;
  AppendConditions(snapshot, cursor, out);
  AppendEvents(snapshot, cursor, out);
  AppendPasses(snapshot, cursor, out);
  AppendStatus(snapshot, cursor, out);
  out.shrink_to_fit();  // what it holds counts against the memory of all answers
  return out;
}

}  // namespace

HttpStream OpenWatch(Board& board, const std::function<Instant()>& now,
                     std::string_view last_event_id) {
  // `told_at`: when the client was last sent anything. `seen`: the last snapshot that it was told
  // from, which is not held for it.
  return [&board, now, cursor = CursorAt(last_event_id), told_at = now(),
          seen = std::weak_ptr<const Snapshot>()]() mutable -> std::optional<std::string> {
    const Instant at = now();
    std::string bytes;
    const auto newest = board.LookForNews();
    if (newest && newest->node && seen.lock() != newest) {
      bytes = WatchFrames(*newest, cursor);
      seen = newest;
    }
    if (bytes.empty() && Elapsed(told_at, at) >= kKeepAlive) bytes = ":\n\n";
    if (!bytes.empty()) told_at = at;
    return bytes;
  };
}

}  // namespace jettison
