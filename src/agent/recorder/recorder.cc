#include "agent/recorder/recorder.h"

#include <fmt/format.h>

#include <chrono>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <variant>

namespace jettison {
namespace {

using Piece = Result<std::optional<std::string>>;

Error Ended() {
  return {ErrorCode::kUnavailable, "the agent ends"};
}

// How old unsaved items may become, without and with an important one among them.
constexpr Duration kSaveEvery = std::chrono::minutes(5);
constexpr Duration kSaveInAHurry = std::chrono::seconds(10);

// What is needed after a crash.
bool MustNotBeLost(const RecordedItem& item) {
  const auto* pass = std::get_if<std::shared_ptr<const RecordedPass>>(&item);
  return pass == nullptr || (*pass)->report.acting_for || !(*pass)->report.evictions.empty();
}

}  // namespace

// What one client waits for. Its stream belongs to the recorder's thread.
struct Recorder::Order {
  RecordingTimes times;
  std::optional<RecordingStream> stream;

  std::mutex mutex;
  WakeClient wake;             // guarded by mutex; empty: the client has gone
  bool is_wanted = false;      // guarded by mutex; a piece is
  std::optional<Piece> piece;  // guarded by mutex

  void Give(Piece given) {
    const std::lock_guard lock(mutex);
    if (!wake) return;
    piece = std::move(given);
    wake();
  }
};

class Recorder::Client {
 public:
  Client(Recorder& recorder, std::shared_ptr<Order> order)
      : recorder_(recorder), order_(std::move(order)) {}
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;
  ~Client() {
    --recorder_.clients_;
    const std::lock_guard lock(order_->mutex);
    order_->wake = nullptr;
  }

  Piece Next() {
    if (recorder_.stop_) return Fail(Ended());
    {
      const std::lock_guard lock(order_->mutex);
      if (auto piece = std::exchange(order_->piece, std::nullopt)) {
        order_->is_wanted = false;
        return *std::move(piece);
      }
      if (std::exchange(order_->is_wanted, true)) return std::string();
    }
    recorder_.jobs_.Do([&recorder = recorder_, order = order_] { recorder.Serve(*order); });
    return std::string();
  }

 private:
  Recorder& recorder_;
  std::shared_ptr<Order> order_;
};

Recorder::Recorder(std::string folder, const RecordingConfig& config, RecordingAbout about,
                   RecordingFolder::Sync sync)
    : folder_(std::move(folder)),
      about_(std::move(about)),
      files_(folder_, config, sync),
      writer_([this](std::string_view frames) { return Write(frames); }) {
  jobs_.Do([this] { Begin(); });
}

void Recorder::Add(RecordedItem item) {
  if (waiting_ >= kMostWaiting) {
    ++dropped_;
    return;
  }
  ++waiting_;
  jobs_.Do([this, item = std::move(item)] {
    --waiting_;
    NoteDropped(item);
    Record(item);
  });
}

void Recorder::Finish(Duration patience) {
  if (stop_.exchange(true)) return;
  if (!jobs_.running()) return;
  jobs_.Do([this] { Complain(writer_.Finish()); });
  (void)FinishOrLeave(jobs_, weak_from_this(), patience);
}

void Recorder::Begin() {
  Complain(files_.Open());
  Complain(writer_.Add(about_));
}

void Recorder::Serve(Order& order) {
  if (stop_) return order.Give(Fail(Ended()));
  auto next = NextFor(order);
  if (!next) complaints_.Put({"a client cannot be given the recording", next.error().message});
  order.Give(std::move(next));
}

// What was taken in is saved first, so that a client has nothing that a crash could take back.
Piece Recorder::NextFor(Order& order) {
  if (!order.stream) {
    Save();
    auto stream = RecordingStream::Open(folder_, order.times);
    if (!stream) return Fail(stream.error());
    order.stream = *std::move(stream);
  }
  return order.stream->Next();
}

void Recorder::NoteDropped(const RecordedItem& next) {
  const std::uint64_t dropped = dropped_;
  if (dropped == told_dropped_) return;
  const Instant to = WhenOf(next);
  Complain(writer_.Add(RecordedGap{
      .from = last_at_.value_or(to),
      .to = to,
      .why = fmt::format("{} passes were left out because the recorder had no time for them",
                         dropped - std::exchange(told_dropped_, dropped))}));
}

void Recorder::Record(const RecordedItem& item) {
  if (std::holds_alternative<std::shared_ptr<const RecordedPass>>(item)) ++passes_;
  last_at_ = WhenOf(item);
  hurry_ = hurry_ || MustNotBeLost(item);
  Complain(writer_.Add(item));
  if (!saved_at_) saved_at_ = last_at_;
  const Duration since = Elapsed(*saved_at_, *last_at_);
  if (since >= kSaveEvery || since < Duration{0} || (hurry_ && since >= kSaveInAHurry)) Save();
}

void Recorder::Save() {
  hurry_ = false;
  saved_at_ = last_at_;
  Complain(writer_.Flush());
}

Result<void> Recorder::Write(std::string_view frames) {
  auto written = files_.Append(frames, last_at_.value_or(about_.at));
  if (written) {
    bytes_ += frames.size();
    complained_ = false;
  } else {
    ++write_errors_;
  }
  return written;
}

// Reports a failure once, until a write succeeds again.
void Recorder::Complain(const Result<void>& done) {
  if (done || std::exchange(complained_, true)) return;
  complaints_.Put({"passes are not recorded for now", done.error().message});
}

void Recorder::LogComplaints(const Log& log) {
  for (const Complaint& complaint : complaints_.TakeAll()) {
    log.Warn(complaint.what, {{"folder", folder_}, {"err", complaint.why}});
  }
}

Result<RecordingFetch> Recorder::Fetch(const RecordingTimes& times, WakeClient wake) {
  if (stop_) return Fail(Ended());
  if (clients_.fetch_add(1) >= kMostClients) {
    --clients_;
    return Fail(ErrorCode::kUnavailable,
                fmt::format("{} clients fetch it already, or wait for a disk that does not answer, "
                            "which is the limit; try again later",
                            kMostClients));
  }
  auto order = std::make_shared<Order>();
  order->times = times;
  order->wake = std::move(wake);
  return [client = std::make_shared<Client>(*this, std::move(order))] { return client->Next(); };
}

RecorderCounters Recorder::counters() const {
  return {.passes = passes_, .dropped = dropped_, .bytes = bytes_, .write_errors = write_errors_};
}

}  // namespace jettison
