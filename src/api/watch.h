#pragma once

#include <atomic>
#include <cstddef>
#include <functional>
#include <memory>
#include <string_view>

#include "core/units/duration.h"
#include "http/message.h"
#include "view/board.h"

namespace jettison {

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
  // How many streams there are. On any thread.
  [[nodiscard]] std::size_t streams() const { return *streams_; }

 private:
  struct Client;
  [[nodiscard]] std::string NextBytes(Client& client);
  [[nodiscard]] std::shared_ptr<const Snapshot> Newest();

  Board& board_;
  std::function<Instant()> now_;
  std::atomic<Instant::rep> news_at_{0};  // on the clock of snapshots
  std::shared_ptr<std::atomic<std::size_t>> streams_ =
      std::make_shared<std::atomic<std::size_t>>(0);
};

}  // namespace jettison
