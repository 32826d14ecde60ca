#include "core/fleet/fleet_shard.h"

#include <fmt/format.h>

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

}  // namespace jettison
