#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/units/result.h"

namespace jettison {

// A part of a fleet: the nodes whose names hash to it.
struct FleetShard {
  std::uint64_t index = 0;  // from 0 to count - 1, as Kubernetes and Slurm count
  std::uint64_t count = 1;

  static constexpr std::uint64_t kMost = 1'000'000;

  [[nodiscard]] bool Has(std::string_view node) const;
  // "3/16".
  [[nodiscard]] std::string Text() const;
  friend bool operator==(const FleetShard&, const FleetShard&) = default;
};

// Parses INDEX/COUNT; fails with a sentence that says what is allowed.
[[nodiscard]] Result<FleetShard> ParseShard(std::string_view text);

// FNV-1a with 64 bits, of the bytes of a node's name. Its remainder by the number of shards is the
// shard. It is the same in every version and on every machine.
[[nodiscard]] std::uint64_t ShardHashOf(std::string_view node);

// A policy that a fleet was simulated under.
struct FleetPolicy {
  std::string name;
  // Its settings as JSON; empty: the settings in force on each node.
  std::string definition;
  friend bool operator==(const FleetPolicy&, const FleetPolicy&) = default;
};

// A setting of the simulation, as text: "evicted", "back".
struct FleetOption {
  std::string name;
  std::string value;
  friend bool operator==(const FleetOption&, const FleetOption&) = default;
};

// How a part of a fleet was simulated: the program, the inputs, the policies and the options.
struct FleetManifest {
  std::string version;  // of the program
  std::vector<FleetOption> options;
  std::vector<FleetPolicy> policies;
  FleetShard shard;
  // Of the whole fleet, as the shard saw it: how many recordings, and a hash of their names, sizes
  // and nodes.
  std::uint64_t fleet_recordings = 0;
  std::string fleet_hash;
};

// Why two parts are not of one fleet, each a sentence without its full stop; `a` and `b` name them.
[[nodiscard]] std::vector<std::string> DifferencesOf(const FleetManifest& a,
                                                     const FleetManifest& b);

}  // namespace jettison
