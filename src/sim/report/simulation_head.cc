#include "sim/report/simulation_head.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <optional>

#include "core/text/number.h"

namespace jettison {
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
  const auto index = ParseNumber<std::uint64_t>(text.substr(0, slash));
  const auto count = ParseNumber<std::uint64_t>(text.substr(slash + 1));
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

// All that shards of one fleet have in common, by what it is.
std::vector<NamedSetting> CommonOf(const SimulationHead& head) {
  std::vector<NamedSetting> all;
  for (const auto& [name, value] : head.options) {
    all.push_back({fmt::format("option \"{}\"", name), value});
  }
  for (const auto& [name, value] : head.policies) {
    all.push_back({fmt::format("policy \"{}\"", name), value});
  }
  all.push_back({"the version", head.version});
  all.push_back({"the number of shards", fmt::format("{}", head.shard.count)});
  all.push_back({"the number of recordings", fmt::format("{}", head.recordings)});
  all.push_back({"the hash of the recordings' names, sizes and nodes", head.hash});
  return all;
}

std::string ValueIn(const std::vector<NamedSetting>& all, const std::string& name) {
  const auto at = std::ranges::find(all, name, &NamedSetting::name);
  return at == all.end() ? "not set" : at->value;
}

}  // namespace

std::vector<std::string> DifferencesOf(const SimulationHead& a, const SimulationHead& b) {
  std::vector<std::string> differences;
  const std::vector<NamedSetting> of_a = CommonOf(a);
  const std::vector<NamedSetting> of_b = CommonOf(b);
  std::vector<NamedSetting> both = of_a;
  std::ranges::copy_if(of_b, std::back_inserter(both), [&](const NamedSetting& each) {
    return std::ranges::find(of_a, each.name, &NamedSetting::name) == of_a.end();
  });
  for (const NamedSetting& each : both) {
    const std::string one = ValueIn(of_a, each.name);
    const std::string other = ValueIn(of_b, each.name);
    if (one != other) differences.push_back(fmt::format("{} is {} and {}", each.name, one, other));
  }
  if (differences.empty() && of_a != of_b) differences.emplace_back("the policies' order differs");
  return differences;
}

}  // namespace jettison
