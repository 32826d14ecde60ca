#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/units/duration.h"
#include "core/units/result.h"

namespace jettison::kube {

// A pod that the agent has begun to end on this node and whose eviction the API server does not
// know of yet.
struct EvictionIntent {
  std::string namespace_;
  std::string name;
  std::string uid;
  std::string message;            // of its status: "The node was low on resource: memory. ..."
  bool disruption_target = true;  // false: the pod exceeded a limit of its own
  std::int64_t grace_seconds = 0;
  WallTime evicted_at;
  std::string boot_id;  // of the machine's boot in which that was; empty: not known
  // The group in which no new process can start, relative to the node's own group; empty: none.
  std::string held_group;
  std::optional<std::int64_t> pids_limit;  // what the group had before; absent: no limit
  friend bool operator==(const EvictionIntent&, const EvictionIntent&) = default;
};

// As many as are written down: more pods than a kubelet runs by default (110).
inline constexpr std::size_t kMostKeptIntents = 200;

struct EvictionIntentsText {
  std::string text;
  std::size_t left_out = 0;  // intents for which there was no room
};

// Intents as JSON of at most `max_bytes`: the first ones, as many as fit.
[[nodiscard]] EvictionIntentsText FormatEvictionIntents(std::span<const EvictionIntent> intents,
                                                        std::size_t max_bytes);

// Understands such a text. kInvalidArgument: it is damaged, or a later version of the agent wrote
// it, which the message says.
[[nodiscard]] Result<std::vector<EvictionIntent>> ParseEvictionIntents(std::string_view text);

}  // namespace jettison::kube
