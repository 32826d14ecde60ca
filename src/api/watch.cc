#include "api/watch.h"

#include <optional>
#include <string>
#include <utility>

#include "api/watch_frames.h"

namespace jettison {
namespace {

constexpr Duration kKeepAlive = std::chrono::seconds(15);
constexpr Duration kSnapshotInterval = std::chrono::milliseconds(100);

}  // namespace

// One client. Streams that were opened are counted until they are destroyed.
struct Watch::Client {
  Client(WatchCursor at, Instant now, std::shared_ptr<std::atomic<std::size_t>> counter)
      : cursor(std::move(at)), told_at(now), streams(std::move(counter)) {
    ++*streams;
  }
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;
  ~Client() { --*streams; }

  WatchCursor cursor;
  std::weak_ptr<const Snapshot> seen;  // the last one that it was told from; not held for it
  Instant told_at;                     // when it was last sent anything
  std::shared_ptr<std::atomic<std::size_t>> streams;
};

void Watch::News() {
  const auto turn = board_.last_turn();
  news_at_ = turn ? turn->time_since_epoch().count() : 0;
}

HttpStream Watch::Open(std::string_view last_event_id) {
  auto client = std::make_shared<Client>(CursorAt(last_event_id), now_(), streams_);
  return [self = shared_from_this(), client]() -> std::optional<std::string> {
    return self->NextBytes(*client);
  };
}

// The agent is only asked where there is something that the last snapshot does not show.
std::shared_ptr<const Snapshot> Watch::Newest() {
  auto last = board_.Last();
  if (last && last->at.time_since_epoch().count() >= news_at_) return last;
  return board_.Look(kSnapshotInterval);
}

std::string Watch::NextBytes(Client& client) {
  const Instant now = now_();
  std::string bytes;
  auto newest = Newest();
  const bool has_seen = !client.seen.owner_before(newest) && !newest.owner_before(client.seen);
  if (newest && newest->node && (!has_seen || client.cursor.is_behind)) {
    bytes = WatchFrames(*newest, client.cursor);
    client.seen = newest;
  }
  if (bytes.empty() && Elapsed(client.told_at, now) >= kKeepAlive) bytes = ":\n\n";
  if (!bytes.empty()) client.told_at = now;
  return bytes;
}

}  // namespace jettison
