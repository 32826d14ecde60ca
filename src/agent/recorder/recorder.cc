#include "agent/recorder/recorder.h"

#include <fmt/format.h>
#include <poll.h>
#include <sched.h>
#include <sys/eventfd.h>

#include <cerrno>
#include <chrono>
#include <utility>
#include <variant>

#include "agent/loop/thread_priority.h"

namespace jettison {
namespace {

// How old unsaved items may become, without and with an important one among them.
constexpr Duration kSaveEvery = std::chrono::minutes(5);
constexpr Duration kSaveInAHurry = std::chrono::seconds(10);
// The interval of looks, in milliseconds, if there is no descriptor that could wake the thread.
constexpr int kLookEvery = 1000;

Instant TimeOf(const RecordedItem& item) {
  if (const auto* pass = std::get_if<std::shared_ptr<const RecordedPass>>(&item)) {
    return (*pass)->report.at;
  }
  if (const auto* kill = std::get_if<RecordedOomKill>(&item)) return kill->at;
  if (const auto* gap = std::get_if<RecordedGap>(&item)) return gap->to;
  if (const auto* note = std::get_if<RecordedNote>(&item)) return note->at;
  return std::get<RecordingAbout>(item).at;
}

// What is needed after a crash.
bool MustNotBeLost(const RecordedItem& item) {
  const auto* pass = std::get_if<std::shared_ptr<const RecordedPass>>(&item);
  return pass == nullptr || (*pass)->report.acting_for || !(*pass)->report.evictions.empty();
}

}  // namespace

Recorder::Recorder(std::string folder, const RecordingConfig& config, RecordingAbout about,
                   RecordingFolder::Sync sync)
    : folder_(std::move(folder)),
      about_(std::move(about)),
      files_(folder_, config, sync),
      writer_([this](std::string_view chunk) { return Write(chunk); }),
      wake_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)),
      fetches_([this] { Wake(); }, [this](bool is_busy) { SetBusy(is_busy); }),
      thread_(std::make_unique<BackgroundThread>(
          ThreadPurpose{"recorder", "passes are not recorded"})) {
  thread_->Do([this] { Work(); });
}

void Recorder::Wake() const {
  const std::uint64_t one = 1;
  (void)!::write(wake_.get(), &one, sizeof one);
}

void Recorder::Add(RecordedItem item) {
  const std::size_t put = put_.load(std::memory_order_relaxed);
  if (put - taken_.load(std::memory_order_acquire) == kQueue) {
    dropped_.fetch_add(1, std::memory_order_relaxed);
    return;
  }
  queue_[put % kQueue] = std::move(item);
  put_.store(put + 1, std::memory_order_release);
  Wake();
}

// Nobody is to wait for a thread that gets no processor while other processes keep them busy.
void Recorder::SetBusy(bool is_busy) const {
  const sched_param none{};
  const int id = thread_id_;
  if (id != 0) (void)sched_setscheduler(id, is_busy ? SCHED_OTHER : SCHED_IDLE, &none);
}

void Recorder::Finish(Duration patience) {
  if (!thread_) return;
  stop_ = true;
  fetches_.End();
  SetBusy(true);
  Wake();
  const bool left = thread_->running() && !FinishOrLeave(*thread_, weak_from_this(), patience);
  thread_.reset();
  if (left || thread_id_ != 0) return;
  // There was no thread.
  Begin();
  End();
}

void Recorder::Begin() {
  Complain(files_.Open());
  Complain(writer_.Add(about_));
}

void Recorder::End() {
  TakeItems();
  Complain(writer_.Finish());
}

void Recorder::Work() {
  thread_id_ = CurrentThreadId();
  if (!stop_) fetches_.TellBusy();  // a client may have come before
  Begin();
  const auto open = [this](const RecordingTimes& times) {
    SaveOpen();  // so that a client has nothing that a crash of the agent could take back
    return RecordingStream::Open(folder_, times, [this] { return OpenChunk(); });
  };
  while (!stop_) {
    pollfd ready{.fd = wake_.get(), .events = POLLIN, .revents = 0};
    (void)::poll(&ready, 1, wake_ ? -1 : kLookEvery);
    std::uint64_t woken = 0;
    (void)!::read(wake_.get(), &woken, sizeof woken);
    TakeItems();
    fetches_.Serve(open);
  }
  End();
}

void Recorder::TakeItems() {
  for (;;) {
    const std::size_t taken = taken_.load(std::memory_order_relaxed);
    if (taken == put_.load(std::memory_order_acquire)) return;
    RecordedItem item = *std::move(queue_[taken % kQueue]);
    queue_[taken % kQueue].reset();
    taken_.store(taken + 1, std::memory_order_release);
    NoteDropped(item);
    Record(std::move(item));
  }
}

void Recorder::NoteDropped(const RecordedItem& next) {
  const std::uint64_t dropped = dropped_;
  if (dropped == told_dropped_) return;
  const Instant to = TimeOf(next);
  Complain(writer_.Add(RecordedGap{
      .from = last_at_.value_or(to),
      .to = to,
      .why = fmt::format("{} passes were left out because the recorder had no time for them",
                         dropped - std::exchange(told_dropped_, dropped))}));
}

void Recorder::Record(const RecordedItem& item) {
  if (std::holds_alternative<std::shared_ptr<const RecordedPass>>(item)) ++passes_;
  last_at_ = TimeOf(item);
  hurry_ = hurry_ || MustNotBeLost(item);
  unsaved_ = true;
  Complain(writer_.Add(item));
  SaveWhereDue();
}

void Recorder::SaveWhereDue() {
  if (!unsaved_ || !last_at_) return;
  if (!saved_at_) saved_at_ = last_at_;
  const Duration since = Elapsed(*saved_at_, *last_at_);
  if (since >= kSaveEvery || since < Duration{0} || (hurry_ && since >= kSaveInAHurry)) SaveOpen();
}

void Recorder::SaveOpen() {
  const auto chunk = OpenChunk();
  if (!chunk) return Complain(Fail(chunk.error()));
  unsaved_ = hurry_ = false;
  saved_at_ = last_at_;
  if (!chunk->empty()) Complain(files_.SaveOpen(*chunk));
}

Result<std::string> Recorder::OpenChunk() {
  std::string chunk;
  if (auto peeked = writer_.Peek(chunk); !peeked) return Fail(peeked.error());
  return chunk;
}

Result<void> Recorder::Write(std::string_view chunk) {
  unsaved_ = hurry_ = false;
  auto written = files_.Append(chunk, last_at_.value_or(about_.at));
  held_bytes_ = files_.bytes();
  if (!written) {
    ++write_errors_;
    return written;
  }
  ++chunks_;
  bytes_ += chunk.size();
  complained_ = false;
  return written;
}

// Reports a failure once, until a write succeeds again.
void Recorder::Complain(const Result<void>& done) {
  if (done || std::exchange(complained_, true)) return;
  complaints_.Put(done.error().message);
}

void Recorder::LogComplaints(const Log& log) {
  for (const std::string& complaint : complaints_.TakeAll()) {
    log.Warn("passes are not recorded for now", {{"folder", folder_}, {"err", complaint}});
  }
}

Result<std::unique_ptr<RecordingFetch>> Recorder::Fetch(const RecordingTimes& times,
                                                        WakeClient wake) {
  return fetches_.Begin(times, std::move(wake));
}

RecorderCounters Recorder::counters() const {
  return {.passes = passes_,
          .dropped = dropped_,
          .chunks = chunks_,
          .bytes = bytes_,
          .write_errors = write_errors_,
          .held_bytes = held_bytes_};
}

}  // namespace jettison
