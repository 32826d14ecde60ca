#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <list>
#include <optional>
#include <string>

#include "core/model/eviction.h"
#include "core/units/duration.h"
#include "sources/kubernetes/calls/api_call.h"
#include "sources/kubernetes/calls/call_complaints.h"

namespace jettison::kube {

// What an event is about.
struct EventObject {
  std::string kind;        // "Pod", "Node"
  std::string namespace_;  // empty for a node
  std::string name;
  std::string uid;  // of a node its name, as the kubelet has it
  friend bool operator==(const EventObject&, const EventObject&) = default;
};

// Events (core/v1), which others see with `kubectl describe` and `kubectl get events`, on their way
// to the API server, one at a time. When too many wait, the oldest are dropped, and counted. One
// that happens again within ten minutes is not made anew: its count goes up. A pure state machine.
class EventQueue {
 public:
  // While the API server is away; an event is kept by it for an hour by default.
  static constexpr std::size_t kMostWaiting = 200;
  static constexpr Duration kMostAge = std::chrono::minutes(10);

  // `node`: where they come from.
  explicit EventQueue(std::string node) : node_(std::move(node)) {}

  void Tell(const EventObject& about, const Event& event, Instant now, WallTime wall);

  // The call to be made now; absent: none is due, or one is under way.
  [[nodiscard]] std::optional<ApiCall> TakeCall(Instant now);
  // What the call that is under way is for.
  [[nodiscard]] CallPurpose purpose() const;
  void Take(const Outcome& outcome, Instant now, WallTime wall);
  // When a call is due; absent: an answer is awaited, or nothing waits.
  [[nodiscard]] std::optional<Instant> due() const;

  [[nodiscard]] std::size_t waiting() const { return waiting_.size(); }
  // How many events were dropped since the agent started.
  [[nodiscard]] std::uint64_t dropped() const { return dropped_; }

 private:
  // Events that are remembered; the one that happened longest ago is forgotten first.
  static constexpr std::size_t kMostKnown = 256;

  struct Waiting {
    EventObject about;
    Event event;
    Instant at;
    WallTime wall;
  };
  // An event that was told.
  struct Known {
    EventObject about;
    Event event;
    std::string name;  // of the object on the server
    std::int64_t count = 1;
    WallTime first;
    WallTime last;
  };
  // The call for the first of `known_`.
  struct Current {
    ApiCall call;
    Instant at;
  };
  // What tells of the event: a POST, or a PATCH of the one that is there.
  [[nodiscard]] ApiCall CallFor(const EventObject& about, const Event& event, WallTime now);
  [[nodiscard]] ApiCall Create(Known& known, WallTime now);
  void End(const Outcome& outcome, WallTime wall);

  std::string node_;
  std::deque<Waiting> waiting_;
  std::list<Known> known_;         // the one that happened last comes first
  std::uint64_t next_number_ = 1;  // in the names of events
  std::optional<Current> current_;
  bool is_awaited_ = false;
  Instant not_before_ = Instant::min();
  CallRetry retry_;
  std::uint64_t dropped_ = 0;
};

}  // namespace jettison::kube
