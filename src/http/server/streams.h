#pragma once

#include <microhttpd.h>

#include <atomic>
#include <cstdint>

#include "http/server/connections.h"
#include "http/server/ledger.h"
#include "http/server/poller.h"

namespace jettison::http {

// The streams on their way to clients, and the requests whose answers are not known yet. One that
// has nothing to send rests until Resume.
class Streams {
 public:
  // All must outlive this; `held` counts the piece of each stream that is going out.
  Streams(Connections& connections, Ledger& held, Poller& poller)
      : connections_(connections), held_(held), poller_(poller) {}
  Streams(const Streams&) = delete;
  Streams& operator=(const Streams&) = delete;

  // Whether one more finds memory.
  [[nodiscard]] bool HasRoom() const;
  // Sends what the answer's stream gives; false: the connection is to be closed.
  [[nodiscard]] bool Queue(MHD_Connection* handle, Connection& connection, HttpResponse response);
  // Lets a request rest whose answer is not known yet; `wakes` as of before it was asked for.
  // False: the connection is to be closed.
  [[nodiscard]] bool Park(MHD_Connection* handle, Connection& connection, unsigned wakes);
  // Its answer is known.
  void Unpark(Connection& connection);
  // Its answer is out, or it broke.
  void Ended(const Connection& connection);
  // Those that had nothing to send are asked again.
  void Resume();
  // Whether any had nothing to send.
  [[nodiscard]] bool AnyRests() const { return resting_ > 0; }
  // Notes that those that rest are to be resumed. Whether there are any. On every thread.
  [[nodiscard]] bool NoteWake() {
    ++wakes_;
    return resting_ > 0;
  }
  // How often that was noted.
  [[nodiscard]] unsigned wakes() const { return wakes_; }
  // Whether one began to rest when a wake had been noted that it had not seen.
  [[nodiscard]] bool MissedWake() const { return missed_wake_; }

 private:
  struct Reader;
  // The next bytes of a stream, or that there are none now, or never again.
  static ssize_t Read(void* reader, std::uint64_t position, char* buffer, std::size_t size);
  // Ends the connection of a stream that is not complete; what Read returns then.
  static ssize_t Cut(Connection& connection);
  void Rest(Connection& connection, unsigned wakes);

  Connections& connections_;
  Ledger& held_;
  Poller& poller_;
  std::atomic<int> resting_ = 0;
  std::atomic<unsigned> wakes_ = 0;
  bool missed_wake_ = false;
};

}  // namespace jettison::http
