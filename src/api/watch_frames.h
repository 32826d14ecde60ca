#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "view/snapshot.h"

namespace jettison {

// How far a client of /api/v1/watch has been told.
struct WatchCursor {
  std::int64_t run = 0;              // which run of the agent: when it began, in ns; 0: none yet
  std::uint64_t event = 0;           // the last event, by its sequence
  std::uint64_t pass = 0;            // the last pass, by its number
  std::vector<bool> conditions;      // as they were told, by place; empty: not yet
  std::optional<Instant> status_at;  // when the node's status was last told
  bool is_behind = false;            // there is more to tell of the snapshot that was told last
};

// The id of a frame after which a client has been told so much; `CursorAt` goes on from there. An
// id that is none, or of another run of the agent, begins at the oldest event and pass that is
// remembered.
[[nodiscard]] std::string FrameId(const WatchCursor& cursor);
[[nodiscard]] WatchCursor CursorAt(std::string_view last_event_id);

// Everything that is new since the cursor, as server-sent events, and moves the cursor on:
// `condition` (v1.NodeCondition: all at first, then those that changed), `event` (v1.Event),
// `pass` and `eviction` (what a pass saw and did), `status` (what /api/v1/overview answers; once a
// second at most). Empty where there is nothing. `snapshot.node` must be set. What is more than
// kMostFrames bytes is told in pieces: `cursor.is_behind` says that another call tells more.
inline constexpr std::size_t kMostFrames = std::size_t{64} << 10;
[[nodiscard]] std::string WatchFrames(const Snapshot& snapshot, WatchCursor& cursor);

}  // namespace jettison
