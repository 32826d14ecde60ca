#include "sources/kubernetes/calls/event_queue.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/json/json_writer.h"
#include "http/client/client.h"

namespace jettison::kube {
namespace {

constexpr Duration kSameFor = std::chrono::minutes(10);
// How much of an object's name is used in the name of its event, which has at most 253 characters.
constexpr std::size_t kMostOfName = 230;
constexpr const char* kComponent = "jettison";

// Events of objects without a namespace are in the namespace "default".
std::string NamespaceOf(const EventObject& about) {
  return about.namespace_.empty() ? "default" : about.namespace_;
}

std::string PathOf(const EventObject& about) {
  return fmt::format("/api/v1/namespaces/{}/events", EncodedForUrl(NamespaceOf(about)));
}

// Whether the same event is recent, also if the clock was set meanwhile.
bool IsWithin(WallTime last, WallTime now) {
  return now >= last && now - last < kSameFor;
}

bool IsSame(const Event& a, const Event& b) {
  return a.type == b.type && a.reason == b.reason && a.message == b.message;
}

void WriteObject(const EventObject& about, JsonWriter& json) {
  json.Object("involvedObject", [&] {
    json.Field("kind", about.kind);
    json.Field("apiVersion", "v1");
    if (!about.namespace_.empty()) json.Field("namespace", about.namespace_);
    json.Field("name", about.name);
    json.Field("uid", about.uid);
  });
}

// Whether the same call may succeed later.
bool IsForNow(CallResult result) {
  return result == CallResult::kAway || result == CallResult::kBusy ||
         result == CallResult::kUnauthenticated;
}

ApiCall CountCall(const EventObject& about, const std::string& name, std::int64_t count,
                  WallTime last) {
  ApiCall call{.method = "PATCH",
               .path = PathOf(about) + "/" + EncodedForUrl(name),
               .content_type = kMergePatchType};
  JsonWriter json(call.body);
  json.Object([&] {
    json.Field("count", count);
    json.Field("lastTimestamp", WholeSeconds(last));
  });
  return call;
}

}  // namespace

ApiCall EventQueue::Create(Known& known, WallTime now) {
  // A name as in client-go: unique, and in the order of time.
  known.name =
      fmt::format("{}.{:x}", known.about.name.substr(0, kMostOfName),
                  now.time_since_epoch().count() + static_cast<std::int64_t>(next_number_++));
  ApiCall call{.method = "POST", .path = PathOf(known.about), .content_type = kJsonType};
  JsonWriter json(call.body);
  json.Object([&] {
    json.Field("kind", "Event");
    json.Field("apiVersion", "v1");
    json.Object("metadata", [&] {
      json.Field("name", known.name);
      json.Field("namespace", NamespaceOf(known.about));
      json.ObjectUnlessEmpty("annotations", [&] {
        for (const auto& [name, value] : known.event.annotations) json.Field(name, value);
      });
    });
    WriteObject(known.about, json);
    json.Field("type", NameOf(known.event.type));
    json.Field("reason", known.event.reason);
    json.Field("message", known.event.message);
    json.Field("count", known.count);
    json.Field("firstTimestamp", WholeSeconds(known.first));
    json.Field("lastTimestamp", WholeSeconds(known.last));
    json.Object("source", [&] {
      json.Field("component", kComponent);
      json.Field("host", node_);
    });
    json.Field("reportingComponent", kComponent);
    json.Field("reportingInstance", node_);
  });
  return call;
}

ApiCall EventQueue::CallFor(const EventObject& about, const Event& event, WallTime now) {
  const auto at = std::ranges::find_if(known_, [&](const Known& known) {
    return known.about == about && IsSame(known.event, event);
  });
  if (at != known_.end() && IsWithin(at->last, now)) {
    known_.splice(known_.begin(), known_, at);
    at->last = now;
    return CountCall(about, at->name, ++at->count, now);
  }
  if (at != known_.end()) known_.erase(at);
  known_.push_front({.about = about, .event = event, .first = now, .last = now});
  if (known_.size() > kMostKnown) known_.pop_back();
  return Create(known_.front(), now);
}

void EventQueue::Tell(const EventObject& about, const Event& event, Instant now, WallTime wall) {
  waiting_.push_back({.about = about, .event = event, .at = now, .wall = wall});
  if (waiting_.size() <= kMostWaiting) return;
  waiting_.pop_front();
  ++dropped_;
}

std::optional<Instant> EventQueue::due() const {
  if (is_awaited_) return std::nullopt;
  if (current_) return not_before_;
  if (waiting_.empty()) return std::nullopt;
  return not_before_;
}

std::optional<ApiCall> EventQueue::TakeCall(Instant now) {
  const auto at = due();
  if (!at || *at > now) return std::nullopt;
  if (!current_) {
    const Waiting first = std::move(waiting_.front());
    waiting_.pop_front();
    current_ = {.call = CallFor(first.about, first.event, first.wall), .at = first.at};
  }
  is_awaited_ = true;
  return current_->call;
}

CallPurpose EventQueue::purpose() const {
  const bool counts = current_ && current_->call.method == "PATCH";
  return counts ? CallPurpose::kCountEvent : CallPurpose::kCreateEvent;
}

void EventQueue::Take(const Outcome& outcome, Instant now, WallTime wall) {
  if (!is_awaited_) return;
  is_awaited_ = false;
  if (IsForNow(outcome.result) && now < current_->at + kMostAge) {
    not_before_ = retry_.After(outcome, now);
    return;
  }
  // The call is given up. If the server is still away, the next call keeps the retry interval.
  not_before_ = IsForNow(outcome.result) ? retry_.After(outcome, now) : Instant::min();
  if (!IsForNow(outcome.result)) retry_.Reset();
  // An earlier try, whose answer was lost, has created an event with this name.
  const bool is_made =
      outcome.result == CallResult::kConflict && purpose() == CallPurpose::kCreateEvent;
  End(is_made ? Outcome{} : outcome, wall);
}

void EventQueue::End(const Outcome& outcome, WallTime wall) {
  Known& known = known_.front();
  if (outcome.result == CallResult::kGone && purpose() == CallPurpose::kCountEvent) {
    current_->call = Create(known, wall);  // it has expired on the server
    return;
  }
  current_.reset();
  if (outcome.ok()) return;
  ++dropped_;
  // It does not exist, so the next one is a new event.
  if (known.count == 1) known_.pop_front();
}

}  // namespace jettison::kube
