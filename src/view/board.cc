#include "view/board.h"

#include <sys/eventfd.h>

#include <utility>

namespace jettison {

using std::chrono::steady_clock;

Board::Board() : wake_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {}

std::shared_ptr<const Snapshot> Board::Look(Duration max_age, Duration patience) {
  std::unique_lock lock(mutex_);
  if (last_ && steady_clock::now() - put_at_ < max_age) return last_;
  const std::uint64_t seen = puts_;
  asked_ = true;
  eventfd_write(wake_.get(), 1);
  put_.wait_for(lock, patience, [&] { return puts_ != seen; });
  return last_;
}

std::shared_ptr<const Snapshot> Board::LookForNews() {
  {
    const std::lock_guard lock(mutex_);
    if (last_ && last_->at.time_since_epoch().count() >= news_at_) return last_;
  }
  return Look();
}

std::optional<Instant> Board::last_turn() const {
  const auto ticks = last_turn_.load(std::memory_order_relaxed);
  if (ticks == 0) return std::nullopt;
  return Instant(Duration(ticks));
}

void Board::Say(BoardNote note) {
  const std::lock_guard lock(mutex_);
  notes_.push_back(std::move(note));
  eventfd_write(wake_.get(), 1);
}

std::vector<BoardNote> Board::TakeNotes() {
  const std::lock_guard lock(mutex_);
  return std::exchange(notes_, {});
}

bool Board::TakeAsked() {
  eventfd_t count = 0;
  eventfd_read(wake_.get(), &count);
  return asked_.exchange(false);
}

void Board::Put(std::shared_ptr<const Snapshot> snapshot) {
  {
    const std::lock_guard lock(mutex_);
    last_.swap(snapshot);
    put_at_ = steady_clock::now();
    ++puts_;
  }
  put_.notify_all();
}

void Board::Turned(Instant now) {
  last_turn_.store(now.time_since_epoch().count(), std::memory_order_relaxed);
}

void Board::TellNews() {
  news_at_ = last_turn_.load();
  if (on_news_) on_news_();
}

}  // namespace jettison
