#include "core/fleet/fleet_manifest.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>

namespace jettison {
namespace {

std::optional<std::uint64_t> WholeNumber(std::string_view text) {
  std::uint64_t number = 0;
  const char* const end = text.data() + text.size();
  const auto read = std::from_chars(text.data(), end, number);
  if (read.ec != std::errc() || read.ptr != end) return std::nullopt;
  return number;
}

}  // namespace

std::uint64_t ShardHashOf(std::string_view node) {
  std::uint64_t hash = 0xcbf29ce484222325U;
  for (const char c : node) {
    hash ^= static_cast<std::uint8_t>(c);
    hash *= 0x100000001b3U;
  }
  return hash;
}

bool FleetShard::Has(std::string_view node) const {
  return ShardHashOf(node) % count == index;
}

std::string FleetShard::Text() const {
  return fmt::format("{}/{}", index, count);
}

Result<FleetShard> ParseShard(std::string_view text) {
  const std::size_t slash = text.find('/');
  const auto fail = [text](std::string_view why) {
    return Fail(ErrorCode::kInvalidArgument, fmt::format("--shard {}: {}", text, why));
  };
  if (slash == std::string_view::npos) return fail("must be INDEX/COUNT, such as 0/16");
  const auto index = WholeNumber(text.substr(0, slash));
  const auto count = WholeNumber(text.substr(slash + 1));
  if (!index || !count) return fail("must be INDEX/COUNT, such as 0/16");
  if (*count == 0 || *count > FleetShard::kMost) {
    return fail(fmt::format("COUNT must be from 1 to {}", FleetShard::kMost));
  }
  if (*index >= *count) {
    return fail(fmt::format("shards count from 0, so INDEX must be from 0 to {}", *count - 1));
  }
  return FleetShard{.index = *index, .count = *count};
}

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
