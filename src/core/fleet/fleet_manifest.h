#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/fleet/fleet_shard.h"

namespace jettison {

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
