#include "agent/recorder/recorder.h"

#include <fmt/format.h>

#include <chrono>
#include <utility>
#include <variant>

namespace jettison {
namespace {

// How old unsaved items may become, without and with an important one among them.
constexpr Duration kSaveEvery = std::chrono::minutes(5);
constexpr Duration kSaveInAHurry = std::chrono::seconds(10);

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
      writer_([this](std::string_view frames) { return Write(frames); }),
      fetches_([this] { jobs_.Do([this] { Serve(); }); }) {
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
  fetches_.End();
  if (!jobs_.running()) return;
  jobs_.Do([this] { Complain(writer_.Finish()); });
  (void)FinishOrLeave(jobs_, weak_from_this(), patience);
}

void Recorder::Begin() {
  Complain(files_.Open());
  Complain(writer_.Add(about_));
}

void Recorder::Serve() {
  if (stop_) return;
  fetches_.Serve([this](const RecordingTimes& times) {
    Save();  // so that a client has nothing that a crash of the agent could take back
    return RecordingStream::Open(folder_, times, [this] { return files_.unwritten(); });
  });
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
  if (since >= kSaveEvery || since < Duration{0} || (hurry_ && since >= kSaveInAHurry)) Save();
}

void Recorder::Save() {
  unsaved_ = hurry_ = false;
  saved_at_ = last_at_;
  Complain(writer_.Flush());
}

// What is kept for the next time is not lost yet.
Result<void> Recorder::Write(std::string_view frames) {
  const std::size_t bytes = files_.unwritten().size() + frames.size();
  auto written = files_.Append(frames, last_at_.value_or(about_.at));
  held_bytes_ = files_.bytes();
  if (frames.starts_with(kChunkMagic)) ++chunks_;
  if (!written) {
    ++write_errors_;
    Complain(written);
    return files_.unwritten().empty() ? written : Result<void>();
  }
  bytes_ += bytes;
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
