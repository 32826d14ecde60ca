#include "agent/recorder/recording_fetches.h"

#include <fmt/format.h>

#include <optional>
#include <string>
#include <utility>

namespace jettison {
namespace {

using Piece = Result<std::optional<std::string>>;

Error Ended() {
  return {ErrorCode::kUnavailable, "the agent ends"};
}

}  // namespace

// What one client waits for. Its stream belongs to the recorder's thread.
struct RecordingFetches::Order {
  RecordingTimes times;
  std::optional<RecordingStream> stream;

  std::mutex mutex;
  RecordingDesk::WakeClient wake;  // guarded by mutex; empty: the client has gone
  bool is_wanted = false;          // guarded by mutex; a piece is
  std::optional<Piece> piece;      // guarded by mutex

  [[nodiscard]] bool IsWanted() {
    const std::lock_guard lock(mutex);
    return wake && is_wanted && !piece;
  }
  void Give(Piece given) {
    const std::lock_guard lock(mutex);
    if (!wake || piece) return;
    piece = std::move(given);
    wake();
  }
};

class RecordingFetches::Client final : public RecordingFetch {
 public:
  Client(RecordingFetches& fetches, std::shared_ptr<Order> order)
      : fetches_(fetches), order_(std::move(order)) {}
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;
  ~Client() override {
    {
      const std::lock_guard lock(order_->mutex);
      order_->wake = nullptr;
      order_->piece.reset();
    }
    fetches_.Forget(order_);
  }

  Piece Next() override {
    {
      const std::lock_guard lock(order_->mutex);
      if (auto piece = std::exchange(order_->piece, std::nullopt)) {
        order_->is_wanted = false;
        return *std::move(piece);
      }
      if (std::exchange(order_->is_wanted, true)) return std::string();
    }
    fetches_.ask_();
    return std::string();
  }

 private:
  RecordingFetches& fetches_;
  std::shared_ptr<Order> order_;
};

Result<std::unique_ptr<RecordingFetch>> RecordingFetches::Begin(const RecordingTimes& times,
                                                                RecordingDesk::WakeClient wake) {
  auto order = std::make_shared<Order>();
  order->times = times;
  order->wake = std::move(wake);
  {
    const std::lock_guard lock(mutex_);
    if (has_ended_) return Fail(Ended());
    if (orders_.size() >= kMost) {
      return Fail(ErrorCode::kUnavailable,
                  fmt::format("{} clients fetch it already, or wait for a disk that does not "
                              "answer, which is the limit; try again later",
                              kMost));
    }
    orders_.push_back(order);
  }
  return std::make_unique<Client>(*this, std::move(order));
}

void RecordingFetches::Forget(const std::shared_ptr<Order>& order) {
  const std::lock_guard lock(mutex_);
  std::erase(orders_, order);
}

std::vector<std::shared_ptr<RecordingFetches::Order>> RecordingFetches::Orders() {
  const std::lock_guard lock(mutex_);
  return orders_;
}

void RecordingFetches::Serve(const OpenStream& open) {
  for (const auto& order : Orders()) {
    if (!order->IsWanted()) continue;
    if (!order->stream) {
      auto stream = open(order->times);
      if (!stream) {
        order->Give(Fail(stream.error()));
        continue;
      }
      order->stream = *std::move(stream);
    }
    order->Give(order->stream->Next());
  }
}

void RecordingFetches::End() {
  {
    const std::lock_guard lock(mutex_);
    has_ended_ = true;
  }
  for (const auto& order : Orders()) order->Give(Fail(Ended()));
}

}  // namespace jettison
