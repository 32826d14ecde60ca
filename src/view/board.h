#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "core/model/choices.h"
#include "core/units/duration.h"
#include "ports/file_descriptor.h"
#include "view/snapshot.h"

namespace jettison {

// A line that an onlooker adds to the agent's log: a message and one field.
struct BoardNote {
  LogLevel level = LogLevel::kInfo;
  std::string message;
  std::string key;
  std::string value;
};

// Gives other threads snapshots of the agent. They ask, and the agent's loop answers between two of
// its turns with a snapshot that all of them share. While nobody asks, no snapshot is made. A
// client that asks all the time causes at most ten snapshots a second.
class Board {
 public:
  Board();

  // For onlookers, on any thread: returns a snapshot no older than `max_age`, and waits at most
  // `patience` for it. If the agent is busy for longer, returns the previous snapshot. Null: there
  // is none yet.
  [[nodiscard]] std::shared_ptr<const Snapshot> Look(
      Duration max_age = std::chrono::milliseconds(100),
      Duration patience = std::chrono::milliseconds(100));
  // The same, but the last snapshot, whatever its age, where nothing is new since.
  [[nodiscard]] std::shared_ptr<const Snapshot> LookForNews();
  // When the agent's loop last turned, on the clock of snapshots; absent before its first turn.
  [[nodiscard]] std::optional<Instant> last_turn() const;
  // Called on the agent's thread when there is something new to see: a pass, an event, a pod that
  // changed. It must return at once. Set before the agent runs.
  void OnNews(std::function<void()> call) { on_news_ = std::move(call); }

  // A line for the agent's log, on any thread.
  void Say(BoardNote note);

  // For the agent: readable when an onlooker has called Look or Say.
  [[nodiscard]] int fd() const { return wake_.get(); }
  // Whether an onlooker has asked since the last call.
  [[nodiscard]] bool TakeAsked();
  [[nodiscard]] std::vector<BoardNote> TakeNotes();
  void Put(std::shared_ptr<const Snapshot> snapshot);
  void Turned(Instant now);
  void TellNews();

 private:
  FileDescriptor wake_;
  std::atomic<bool> asked_ = false;
  mutable std::mutex mutex_;
  std::condition_variable put_;
  std::shared_ptr<const Snapshot> last_;          // guarded by mutex_
  std::chrono::steady_clock::time_point put_at_;  // guarded by mutex_
  std::uint64_t puts_ = 0;                        // guarded by mutex_
  std::vector<BoardNote> notes_;                  // guarded by mutex_
  std::atomic<Duration::rep> last_turn_{0};       // 0: it has not
  std::atomic<Duration::rep> news_at_{0};         // the turn in which TellNews was called last
  std::function<void()> on_news_;
};

}  // namespace jettison
