#include "sim/report/simulation_head.h"

#include <fmt/format.h>

#include <utility>

#include "core/text/number.h"

namespace jettison {
bool FleetShard::Has(std::string_view node) const {
  std::uint64_t hash = 0xcbf29ce484222325U;
  for (const char c : node) {
    hash ^= static_cast<std::uint8_t>(c);
    hash *= 0x100000001b3U;
  }
  return hash % count == index;
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

std::vector<std::string_view> DifferencesOf(const SimulationHead& a, const SimulationHead& b) {
  const std::pair<std::string_view, bool> parts[] = {
      {"the version", a.version == b.version},
      {"the options", a.options == b.options},
      {"the policies", a.policies == b.policies},
      {"the number of shards", a.shard.count == b.shard.count},
      {"the recordings", a.recordings == b.recordings && a.hash == b.hash}};
  std::vector<std::string_view> differences;
  for (const auto& [name, is_same] : parts) {
    if (!is_same) differences.push_back(name);
  }
  return differences;
}

}  // namespace jettison
