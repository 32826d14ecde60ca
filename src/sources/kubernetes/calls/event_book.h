#pragma once

#include <cstddef>
#include <cstdint>
#include <list>
#include <optional>
#include <string>

#include "core/model/event.h"
#include "core/units/duration.h"
#include "sources/kubernetes/calls/api_call.h"

namespace jettison::kube {

// What an event is about.
struct EventObject {
  std::string kind;        // "Pod", "Node"
  std::string namespace_;  // empty for a node
  std::string name;
  std::string uid;  // of a node its name, as the kubelet has it
  friend bool operator==(const EventObject&, const EventObject&) = default;
};

// Events (core/v1) that others see with `kubectl describe` and `kubectl get events`. One that
// happens again within ten minutes is not made anew: its count goes up.
class EventBook {
 public:
  // `node`: where they come from.
  explicit EventBook(std::string node) : node_(std::move(node)) {}

  struct Told {
    std::uint64_t id = 0;
    ApiCall call;
  };
  // What tells of the event: a POST, or a PATCH of the one that is there.
  [[nodiscard]] Told Tell(const EventObject& about, const Event& event, WallTime now);
  // The answer to the call with this ID. An event that has expired on the server is made anew by
  // what is returned.
  [[nodiscard]] std::optional<Told> Take(std::uint64_t id, const Outcome& outcome, WallTime now);

  [[nodiscard]] std::size_t size() const { return known_.size(); }

 private:
  // As many as are remembered, the one that happened longest ago forgotten first.
  static constexpr std::size_t kMostKnown = 256;

  struct Known {
    EventObject about;
    Event event;
    std::string name;  // of the object on the server
    std::int64_t count = 1;
    WallTime first;
    WallTime last;
    std::uint64_t last_id = 0;  // of its last call
  };

  [[nodiscard]] Told Create(Known& known, WallTime now);
  [[nodiscard]] Told Count(Known& known);

  std::string node_;
  std::list<Known> known_;  // the one that happened last comes first
  std::uint64_t next_id_ = 1;
};

}  // namespace jettison::kube
