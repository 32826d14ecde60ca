#include "core/fleet/fleet_manifest.h"

#include <fmt/format.h>

#include <algorithm>

namespace jettison {
namespace {

std::string ValueOf(const std::vector<FleetOption>& options, const std::string& name) {
  const auto option = std::ranges::find(options, name, &FleetOption::name);
  return option == options.end() ? "not set" : option->value;
}

void CompareOptions(const FleetManifest& a, const FleetManifest& b,
                    std::vector<std::string>& differences) {
  for (const FleetOption& option : a.options) {
    const std::string other = ValueOf(b.options, option.name);
    if (other == option.value) continue;
    differences.push_back(fmt::format("{} is {} and {}", option.name, option.value, other));
  }
  for (const FleetOption& option : b.options) {
    if (std::ranges::find(a.options, option.name, &FleetOption::name) != a.options.end()) continue;
    differences.push_back(fmt::format("{} is not set and {}", option.name, option.value));
  }
}

void ComparePolicies(const FleetManifest& a, const FleetManifest& b,
                     std::vector<std::string>& differences) {
  if (a.policies.size() != b.policies.size()) {
    differences.push_back(
        fmt::format("they have {} and {} policies", a.policies.size(), b.policies.size()));
    return;
  }
  for (std::size_t i = 0; i < a.policies.size(); ++i) {
    const FleetPolicy& one = a.policies[i];
    const FleetPolicy& other = b.policies[i];
    if (one.name != other.name) {
      differences.push_back(
          fmt::format("policy {} is \"{}\" and \"{}\"", i + 1, one.name, other.name));
    } else if (one.definition != other.definition) {
      differences.push_back(
          fmt::format("policy \"{}\" is {} and {}", one.name, one.definition, other.definition));
    }
  }
}

}  // namespace

std::vector<std::string> DifferencesOf(const FleetManifest& a, const FleetManifest& b) {
  std::vector<std::string> differences;
  if (a.version != b.version) {
    differences.push_back(fmt::format("the version is {} and {}", a.version, b.version));
  }
  if (a.shard.count != b.shard.count) {
    differences.push_back(
        fmt::format("the fleet has {} and {} shards", a.shard.count, b.shard.count));
  }
  CompareOptions(a, b, differences);
  ComparePolicies(a, b, differences);
  if (a.fleet_recordings != b.fleet_recordings) {
    differences.push_back(
        fmt::format("the fleet has {} and {} recordings", a.fleet_recordings, b.fleet_recordings));
  } else if (a.fleet_hash != b.fleet_hash) {
    differences.emplace_back("their recordings have other names, sizes or nodes");
  }
  return differences;
}

}  // namespace jettison
