#pragma once

#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/model/signal.h"
#include "core/units/duration.h"
#include "core/units/quantity.h"

namespace jettison {

// A recording that a fleet was simulated from.
struct FleetInput {
  std::string name;         // below the folder that was given
  std::uint64_t bytes = 0;  // read
  std::string hash;         // XXH128 of them; empty: it could not be opened
  bool unread = false;      // it could not be read to its end, though it may be another time
  std::vector<std::string> faults;  // what is wrong with it, and was left out
};

// How well a simulation knew the evictions of a node, as counts that can be added up.
struct FleetCalibration {
  // Errors of time are counted by the first of these that they do not exceed; what is longer is
  // counted last.
  static constexpr std::array<Duration, 16> kErrorBounds = {
      std::chrono::milliseconds(10),  std::chrono::milliseconds(20),
      std::chrono::milliseconds(50),  std::chrono::milliseconds(100),
      std::chrono::milliseconds(200), std::chrono::milliseconds(500),
      std::chrono::seconds(1),        std::chrono::seconds(2),
      std::chrono::seconds(5),        std::chrono::seconds(10),
      std::chrono::seconds(20),       std::chrono::seconds(50),
      std::chrono::seconds(100),      std::chrono::seconds(200),
      std::chrono::seconds(500),      std::chrono::seconds(1000)};

  std::int64_t evictions = 0;
  std::int64_t foretold = 0;
  std::int64_t found = 0;
  std::int64_t inside = 0;
  std::array<std::int64_t, kErrorBounds.size() + 1> errors{};

  void AddError(Duration error);
  void Add(const FleetCalibration& other);
  // Half of the errors are not longer; absent: there is none, or they are beyond the last bound.
  [[nodiscard]] std::optional<Duration> MedianAtMost() const;
};

// What one policy does to a node.
struct PolicySums {
  std::int64_t evictions = 0;
  std::int64_t oom_kills = 0;
  std::array<std::int64_t, kNodeConditionCount> condition_nanoseconds{};
  std::int64_t kept_free_byte_seconds = 0;
  std::int64_t pod_nanoseconds_lost = 0;
};

// In a total order: by time, policy, pod.
struct FleetEviction {
  Instant at;
  std::int64_t policy = 0;  // its place in the manifest
  std::string pod;          // "namespace/name"
  std::string uid;
  Instant earliest;
  Instant latest;
  std::string limit;             // of the pod, that it broke: "emptyDir", "pod", "container"; or
  std::optional<Signal> signal;  // of the threshold
  bool soft = false;
  std::int64_t available = 0;  // in the unit of the signal
  std::int64_t line = 0;
  std::int64_t held = 0;
  bool as_recorded = false;
  bool from_record = false;

  friend auto operator<=>(const FleetEviction&, const FleetEviction&) = default;
};
struct FleetOomKill {
  Instant at;
  std::int64_t policy = 0;
  std::string pod;
  std::string uid;
  Instant earliest;
  Instant latest;
  std::string why;

  friend auto operator<=>(const FleetOomKill&, const FleetOomKill&) = default;
};

// What is known of one node.
struct FleetNode {
  std::string node;
  std::vector<FleetInput> inputs;  // in the order of time
  std::string failure;             // why it could not be simulated; then there are no policies
  std::vector<std::string> notes;  // what the recordings say of themselves, the first of them
  std::optional<Instant> from;
  std::optional<Instant> to;
  std::int64_t passes = 0;
  std::int64_t pods = 0;
  std::int64_t flaws = 0;  // gaps, restarts, steps of the clock
  std::int64_t unknown_nanoseconds = 0;
  std::int64_t recorded_evictions = 0;
  std::int64_t recorded_oom_kills = 0;
  FleetCalibration calibration;
  std::vector<PolicySums> policies;  // of every policy of the manifest, in its order
  std::vector<FleetEviction> evictions;
  std::vector<FleetOomKill> oom_kills;

  // Whether something of its recordings was left out, or all of them.
  [[nodiscard]] bool IsDamaged() const;
  // Puts the rows in their order.
  void Sort();
};

// What one policy does to all nodes.
struct PolicyTotals {
  std::int64_t evictions = 0;
  std::int64_t oom_kills = 0;
  std::int64_t nodes_with_evictions = 0;
  std::array<Int128, kNodeConditionCount> condition_nanoseconds{};
  Int128 kept_free_byte_seconds = 0;
  Int128 pod_nanoseconds_lost = 0;

  void Add(const PolicySums& sums);
};

// Sums over nodes.
struct FleetTotals {
  std::int64_t nodes = 0;
  std::int64_t nodes_failed = 0;  // of which nothing could be simulated
  std::int64_t recordings = 0;
  std::int64_t recordings_damaged = 0;
  std::int64_t bytes = 0;
  std::int64_t passes = 0;
  std::int64_t pods = 0;
  std::int64_t flaws = 0;
  Int128 unknown_nanoseconds = 0;
  std::int64_t recorded_evictions = 0;
  std::int64_t recorded_oom_kills = 0;
  FleetCalibration calibration;
  std::vector<PolicyTotals> policies;

  // `policies`: as many as the manifest has.
  explicit FleetTotals(std::size_t policy_count) : policies(policy_count) {}
  void Add(const FleetNode& node);
};

// The sum of all conditions.
[[nodiscard]] Int128 ConditionNanoseconds(const PolicyTotals& totals);

}  // namespace jettison
