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

  // By FNV-1a with 64 bits, of the bytes of a node's name: its remainder by the number of shards is
  // the shard. It is the same in every version and on every machine.
  [[nodiscard]] bool Has(std::string_view node) const;
  // "3/16".
  [[nodiscard]] std::string Text() const;
  friend bool operator==(const FleetShard&, const FleetShard&) = default;
};

// Parses INDEX/COUNT; fails with a sentence that says what is allowed.
[[nodiscard]] Result<FleetShard> ParseShard(std::string_view text);

// A name and what it stands for: a policy and its settings as JSON (empty: those in force on each
// node), or an option of the simulation and its value.
struct NamedSetting {
  std::string name;
  std::string value;
  friend bool operator==(const NamedSetting&, const NamedSetting&) = default;
};

// How nodes were simulated: the program, the inputs, the policies and the options.
struct SimulationHead {
  std::string version;  // of the program
  std::vector<NamedSetting> options;
  std::vector<NamedSetting> policies;
  FleetShard shard;
  // Of the whole fleet, as the shard saw it: how many recordings, and a hash of their names, sizes
  // and nodes.
  std::uint64_t recordings = 0;
  std::string hash;
};

// What two shards differ in that are not of one fleet: "the version", "the policies".
[[nodiscard]] std::vector<std::string_view> DifferencesOf(const SimulationHead& a,
                                                          const SimulationHead& b);

}  // namespace jettison
