#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/units/duration.h"
#include "http/message.h"
#include "view/board.h"
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

// The streams of /api/v1/watch. All of them share the snapshots that they are told from, no more
// than ten a second however much happens; where nothing happens they ask for none.
class Watch : public std::enable_shared_from_this<Watch> {
 public:
  // `board` must outlive this. `now`: any clock that does not step back.
  Watch(Board& board, std::function<Instant()> now) : board_(board), now_(std::move(now)) {}

  // Announces a new snapshot. May be called on any thread; returns at once.
  void News();
  // A stream that goes on after that id, see CursorAt; a comment in it every 15 s keeps it alive.
  // It may outlive this object's other owners.
  [[nodiscard]] HttpStream Open(std::string_view last_event_id);

 private:
  struct Client;
  [[nodiscard]] std::string NextBytes(Client& client);
  [[nodiscard]] std::shared_ptr<const Snapshot> Newest();

  Board& board_;
  std::function<Instant()> now_;
  std::atomic<Instant::rep> news_at_{0};  // on the clock of snapshots
};

}  // namespace jettison
