#include "api/watch.h"

#include <fmt/format.h>

#include <charconv>
#include <optional>
#include <string>
#include <utility>

#include "agent/notify/eviction_history.h"
#include "api/kubernetes/objects.h"
#include "api/overview/overview.h"
#include "core/json/json_writer.h"
#include "core/pass/pass.h"

namespace jettison {
namespace {

constexpr Duration kStatusInterval = std::chrono::seconds(1);

// One frame; `data` is JSON of one line.
void Append(std::string_view type, std::string_view data, const WatchCursor& cursor,
            std::string& out) {
  while (data.ends_with('\n')) data.remove_suffix(1);
  fmt::format_to(std::back_inserter(out), "id: {}\nevent: {}\ndata: {}\n\n", FrameId(cursor), type,
                 data);
}

// Whether the rest has to wait for the next piece.
bool IsFull(const std::string& out, WatchCursor& cursor) {
  cursor.is_behind = cursor.is_behind || out.size() >= kMostFrames;
  return cursor.is_behind;
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
    if (IsFull(out, cursor)) return;
    cursor.event = event.sequence;
    Append("event", EventJson(event, snapshot.node->config.node_name), cursor, out);
  }
}

void WriteSignals(const Observations& observations, JsonWriter& json) {
  json.Array("signals", [&] {
    for (const Signal signal : kAllSignals) {
      const auto& seen = observations[signal];
      if (!seen) continue;
      json.Object([&] {
        json.Field("signal", NameOf(signal));
        json.Field("available", seen->available);
        json.Field("capacity", seen->capacity);
      });
    }
  });
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
    WriteSignals(report.observations, json);
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
    if (IsFull(out, cursor)) return;
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
  Append("status", OverviewJson(snapshot, {.version = Version(), .ranked_for = {}}), cursor, out);
}

std::optional<std::uint64_t> TakeNumber(std::string_view& text) {
  std::uint64_t number = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc{} || (stop != end && *stop != '-')) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(stop - text.data()) + (stop == end ? 0 : 1));
  return number;
}

constexpr Duration kKeepAlive = std::chrono::seconds(15);
constexpr Duration kSnapshotInterval = std::chrono::milliseconds(100);

}  // namespace

std::string FrameId(const WatchCursor& cursor) {
  return fmt::format("{}-{}-{}", cursor.run, cursor.event, cursor.pass);
}

WatchCursor CursorAt(std::string_view last_event_id) {
  const auto run = TakeNumber(last_event_id);
  const auto event = TakeNumber(last_event_id);
  const auto pass = TakeNumber(last_event_id);
  WatchCursor cursor;
  if (!run || !event || !pass || !last_event_id.empty()) return cursor;
  cursor.run = static_cast<std::int64_t>(*run);
  cursor.event = *event;
  cursor.pass = *pass;
  return cursor;
}

std::string WatchFrames(const Snapshot& snapshot, WatchCursor& cursor) {
  const std::int64_t run = snapshot.node->started_at.time_since_epoch().count();
  if (cursor.run != run) cursor = {.run = run};
  cursor.is_behind = false;
  std::string out;
  AppendConditions(snapshot, cursor, out);
  AppendEvents(snapshot, cursor, out);
  if (!cursor.is_behind) AppendPasses(snapshot, cursor, out);
  if (!cursor.is_behind && !IsFull(out, cursor)) AppendStatus(snapshot, cursor, out);
  return out;
}

struct Watch::Client {
  WatchCursor cursor;
  Instant told_at;                     // when it was last sent anything
  std::weak_ptr<const Snapshot> seen;  // the last one that it was told from; not held for it
};

void Watch::News() {
  const auto turn = board_.last_turn();
  news_at_ = turn ? turn->time_since_epoch().count() : 0;
}

HttpStream Watch::Open(std::string_view last_event_id) {
  auto client = std::make_shared<Client>(Client{CursorAt(last_event_id), now_(), {}});
  return [self = shared_from_this(), client]() -> std::optional<std::string> {
    return self->NextBytes(*client);
  };
}

// The agent is only asked where there is something that the last snapshot does not show.
std::shared_ptr<const Snapshot> Watch::Newest() {
  auto last = board_.Last();
  if (last && last->at.time_since_epoch().count() >= news_at_) return last;
  return board_.Look(kSnapshotInterval);
}

std::string Watch::NextBytes(Client& client) {
  const Instant now = now_();
  std::string bytes;
  auto newest = Newest();
  if (newest && newest->node && (client.seen.lock() != newest || client.cursor.is_behind)) {
    bytes = WatchFrames(*newest, client.cursor);
    client.seen = newest;
  }
  if (bytes.empty() && Elapsed(client.told_at, now) >= kKeepAlive) bytes = ":\n\n";
  if (!bytes.empty()) client.told_at = now;
  return bytes;
}

}  // namespace jettison
