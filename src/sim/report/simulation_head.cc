#include "sim/report/simulation_head.h"

#include <fmt/format.h>

#include <algorithm>
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

// What differs between two lists of settings. What one of them lacks "is not set" in it.
void CompareSettings(std::string_view what, const std::vector<NamedSetting>& a,
                     const std::vector<NamedSetting>& b, std::vector<std::string>& differences) {
  const auto value_in = [](const std::vector<NamedSetting>& settings, const std::string& name) {
    const auto at = std::ranges::find(settings, name, &NamedSetting::name);
    return at == settings.end() ? "not set" : at->value;
  };
  const auto compare = [&](const std::string& name) {
    const std::string one = value_in(a, name);
    const std::string other = value_in(b, name);
    if (one == other) return;
    differences.push_back(fmt::format("{} \"{}\" is {} and {}", what, name, one, other));
  };
  for (const NamedSetting& each : a) compare(each.name);
  for (const NamedSetting& each : b) {
    if (std::ranges::find(a, each.name, &NamedSetting::name) == a.end()) compare(each.name);
  }
  const bool is_reordered = differences.empty() && a != b;
  if (is_reordered) differences.push_back(fmt::format("each {} has another place", what));
}

}  // namespace

std::vector<std::string> DifferencesOf(const SimulationHead& a, const SimulationHead& b) {
  std::vector<std::string> differences;
  CompareSettings("option", a.options, b.options, differences);
  CompareSettings("policy", a.policies, b.policies, differences);
  if (a.version != b.version) {
    differences.push_back(fmt::format("the version is {} and {}", a.version, b.version));
  }
  if (a.shard.count != b.shard.count) {
    differences.push_back(
        fmt::format("the fleet has {} and {} shards", a.shard.count, b.shard.count));
  }
  if (a.recordings != b.recordings) {
    differences.push_back(
        fmt::format("the fleet has {} and {} recordings", a.recordings, b.recordings));
  } else if (a.hash != b.hash) {
    differences.emplace_back("their recordings have other names, sizes or nodes");
  }
  return differences;
}

}  // namespace jettison
