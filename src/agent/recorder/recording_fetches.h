#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <mutex>
#include <vector>

#include "agent/recorder/recording_stream.h"
#include "view/recording_desk.h"

namespace jettison {

// The clients that fetch the recording at the moment, each with the piece that is being read for
// it. Clients ask on their thread, and the recorder reads on its own.
class RecordingFetches {
 public:
  // Clients that are served at a time. Each holds a piece and, at its end, the open chunk.
  static constexpr std::size_t kMost = 4;
  // Opens a stream for the times that a client asks for.
  using OpenStream = std::function<Result<RecordingStream>(const RecordingTimes&)>;

  // `ask` tells the recorder that a piece is wanted, on the clients' thread, and may not wait.
  explicit RecordingFetches(std::function<void()> ask) : ask_(std::move(ask)) {}

  // For clients. Errors as of RecordingDesk::Fetch.
  [[nodiscard]] Result<std::unique_ptr<RecordingFetch>> Begin(const RecordingTimes& times,
                                                              RecordingDesk::WakeClient wake);
  // For the recorder: reads the next piece for each client that waits for one.
  void Serve(const OpenStream& open);
  // Nothing is read any more: clients that are there and those that come get an error.
  void End();

 private:
  class Client;
  struct Order;
  [[nodiscard]] std::vector<std::shared_ptr<Order>> Orders();
  void Forget(const std::shared_ptr<Order>& order);

  std::function<void()> ask_;
  std::mutex mutex_;
  std::vector<std::shared_ptr<Order>> orders_;  // guarded by mutex_, one for each client
  bool has_ended_ = false;                      // guarded by mutex_
};

}  // namespace jettison
