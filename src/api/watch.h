#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "core/units/duration.h"
#include "http/message.h"
#include "view/board.h"
#include "view/snapshot.h"

namespace jettison {

// The streams of /api/v1/watch, of server-sent events: `condition` (v1.NodeCondition: all at first,
// then those that changed), `event` (v1.Event), `pass` and `eviction` (what a pass saw and did),
// `status` (what /api/v1/overview answers; once a second at most). All of them share the snapshots
// that they are told from, no more than ten a second however much happens; where nothing happens
// they ask for none.
class Watch : public std::enable_shared_from_this<Watch> {
 public:
  // `board` must outlive this. `now`: any clock that does not step back.
  Watch(Board& board, std::function<Instant()> now) : board_(board), now_(std::move(now)) {}

  // Announces a new snapshot. May be called on any thread; returns at once.
  void News();
  // A stream that goes on after the frame of that id; one that is none, or of another run of the
  // agent, begins at the oldest event and pass that is remembered. A comment in it every 15 s keeps
  // it alive. It may outlive this object's other owners.
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
