#include "codec/flight/recording_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace jettison {
namespace {

constexpr std::size_t kReadAtOnce = std::size_t{64} << 10;

}  // namespace

Result<void> RecordingReader::Fill(std::size_t bytes) {
  if (Ready().size() >= bytes || ended_) return {};
  ready_.erase(0, std::exchange(at_, 0));
  while (ready_.size() < bytes && !ended_) {
    const std::size_t before = ready_.size();
    ready_.resize(before + std::max(kReadAtOnce, std::min(bytes - before, 4 * kReadAtOnce)));
    const auto read = read_(std::span(ready_).subspan(before));
    ready_.resize(before + read.value_or(0));
    if (!read) {
      failed_ = true;
      return Fail(read.error());
    }
    ended_ = *read == 0;
  }
  return {};
}

void RecordingReader::Take(std::size_t bytes) {
  at_ += bytes;
  place_ += bytes;
  found_.bytes = place_;
}

// The first byte is passed over in any case: it begins no whole chunk.
tl::unexpected<Error> RecordingReader::Resync(std::string_view why) {
  const std::uint64_t from = place_;
  for (bool is_first = true;; is_first = false) {
    if (const auto filled = Fill(kReadAtOnce); !filled) return Fail(filled.error());
    const std::string_view ready = Ready();
    const std::size_t next = ready.find(kChunkMagic, is_first ? 1 : 0);
    if (next != std::string_view::npos) {
      Take(next);
      break;
    }
    // A magic that is not all there yet stays.
    Take(ended_ ? ready.size() : ready.size() - std::min(ready.size() - 1, kChunkMagic.size()));
    if (ended_) break;
  }
  found_.damaged_bytes += place_ - from;
  lost_ = fmt::format("byte {} of the recording: {}", from, why);
  return Fail(ErrorCode::kInvalidArgument,
              fmt::format("byte {}: {}; {} bytes are passed over", from, why, place_ - from));
}

tl::unexpected<Error> RecordingReader::Lose(const RecordedStretch& stretch, std::string_view why) {
  if (!lost_stretch_) lost_stretch_ = stretch;
  lost_stretch_->first = std::min(lost_stretch_->first, stretch.first);
  lost_stretch_->last = std::max(lost_stretch_->last, stretch.last);
  return Resync(why);
}

// What is lost, and perhaps more, was between these.
RecordedGap RecordingReader::TakeGap(Instant from, Instant to) {
  lost_stretch_.reset();
  return {.from = from, .to = to, .why = std::exchange(lost_, {})};
}

Result<bool> RecordingReader::NextChunk() {
  chunk_.reset();
  if (auto filled = Fill(kChunkPrefix); !filled) return Fail(filled.error());
  if (Ready().empty()) return false;
  const auto size = ChunkHeaderSize(Ready());
  if (!size) {
    const bool is_cut = kChunkMagic.starts_with(Ready().substr(0, kChunkMagic.size()));
    return Resync(ended_ && is_cut ? "the recording ends within a chunk"
                                   : "not a Jettison recording, or damaged");
  }
  if (auto filled = Fill(*size); !filled) return Fail(filled.error());
  if (Ready().size() < *size) return Resync("the recording ends within a chunk");
  auto header = ReadChunkHeader(Ready().substr(0, *size));
  if (!header) return Resync("a chunk: " + header.error().message);
  // Whose the passes are is told before anybody is asked for them.
  const bool is_known = about_ == header->about;
  if (sieve_ != nullptr && is_known && header->others == 0 && !sieve_->MayWant(header->stretch)) {
    return Skip(*header, *size);
  }
  return ReadBody(*std::move(header), *size);
}

void RecordingReader::Reach(Instant at) {
  last_ = at;
  told_->Add(at);
}

// Its body is not looked at, but it must be there.
Result<bool> RecordingReader::Skip(const ChunkHeader& header, std::size_t header_size) {
  const std::size_t size = header_size + header.BodyBytes();
  if (auto filled = Fill(size); !filled) return Fail(filled.error());
  if (Ready().size() < size) return Lose(header.stretch, "the recording ends within a chunk");
  Take(size);
  Enter(header);
  told_->Add(header.stretch.first);
  Reach(header.stretch.last);
  return true;
}

Result<bool> RecordingReader::ReadBody(ChunkHeader header, std::size_t header_size) {
  const std::size_t size = header_size + header.BodyBytes();
  const auto what = [&] {
    return fmt::format("the chunk of {} to {} with {} passes", FormatInstant(header.stretch.first),
                       FormatInstant(header.stretch.last), header.stretch.passes);
  };
  if (auto filled = Fill(size); !filled) return Fail(filled.error());
  if (Ready().size() < size) {
    return Lose(header.stretch, what() + " is cut off by the end of the recording");
  }
  auto chunk = ChunkReader::Open(
      header, std::string(Ready().substr(header_size, size - header_size)), known_);
  if (!chunk) return Lose(header.stretch, fmt::format("{}: {}", what(), chunk.error().message));
  Take(size);
  Enter(header);
  chunk_ = *std::move(chunk);
  return true;
}

// Chunks of one start in ascending order are a run. What was told of the start before a run is not
// told again by it, except where the sequence says that a chunk is new.
void RecordingReader::Enter(const ChunkHeader& header) {
  ++found_.chunks;
  const bool is_first = !header_;
  const bool goes_on =
      header_ && header_->about == header.about && header_->sequence < header.sequence;
  const auto [told, is_new] = starts_.Of(header.about);
  told_ = told;
  if (!goes_on) told_before_ = *told;
  is_repeated_ = header.sequence < told_before_.next_sequence;
  if (is_repeated_) ++found_.chunks_repeated;
  if (!is_new && header.sequence > told->next_sequence) {
    Miss(header.sequence - told->next_sequence);
  }
  told->next_sequence = std::max(told->next_sequence, header.sequence + 1);
  if (is_new) due_.emplace_back(header.about);
  AddLost(header.stretch, is_first);
  // The gap belongs to what was before, unless there is nothing.
  if (is_first) std::ranges::reverse(due_);
  if (is_new) about_ = header.about;
  if (!goes_on && told->last) last_ = *told->last;
  header_ = header;
}

void RecordingReader::Miss(std::uint64_t chunks) {
  found_.chunks_missing += chunks;
  if (lost_.empty()) lost_ = fmt::format("{} chunks of the recording are missing", chunks);
}

// Whether what is lost was told before: this was another copy of it.
bool RecordingReader::IsLostCopy() const {
  return lost_stretch_ && told_before_.Has(lost_stretch_->first) &&
         told_before_.Has(lost_stretch_->last);
}

// Says what is lost between these passes and those before.
void RecordingReader::AddLost(const RecordedStretch& next, bool is_first) {
  if (IsLostCopy()) (void)TakeGap({}, {});
  if (lost_.empty()) return;
  // What comes next is no end of it where the recording begins anew.
  const Instant lost_to = lost_stretch_ ? std::max(lost_stretch_->last, last_) : last_;
  const Instant to = !is_first && next.first < last_ ? lost_to : next.first;
  const Instant begin = lost_stretch_ ? std::min(lost_stretch_->first, to) : to;
  due_.emplace_back(TakeGap(is_first ? begin : last_, to));
}

// Whether what happened then was told already, before this run.
bool RecordingReader::IsRepeated(Instant at) const {
  return is_repeated_ && told_before_.Has(at);
}

// Whose an item is comes before it, where what was told last is of another start.
RecordedItem RecordingReader::Tell(RecordedItem item) {
  told_->Add(WhenOf(item));
  if (about_ == header_->about) return item;
  about_ = header_->about;
  due_.push_back(std::move(item));
  return *about_;
}

std::optional<RecordedItem> RecordingReader::TakeDue() {
  if (due_.empty()) return std::nullopt;
  RecordedItem item = std::move(due_.back());
  due_.pop_back();
  return item;
}

Result<std::optional<RecordedItem>> RecordingReader::Next() {
  for (;;) {
    if (failed_) return std::nullopt;
    if (auto due = TakeDue()) return due;
    if (chunk_) {
      auto item = chunk_->Next(sieve_);
      if (const auto at = chunk_->at(); at && !IsRepeated(*at)) Reach(*at);
      if (item && *item && IsRepeated(WhenOf(**item))) continue;
      if (item && *item) return Tell(**std::move(item));
      if (!item) {
        chunk_.reset();
        lost_ = item.error().message;
        lost_stretch_ = header_->stretch;
        return Fail(item.error().In(fmt::format("byte {}: the chunk before it", place_)));
      }
    }
    const auto more = NextChunk();
    if (!more) return Fail(more.error());
    if (*more || !due_.empty()) continue;
    if (lost_.empty() || !about_ || IsLostCopy()) return std::nullopt;
    const Instant last = lost_stretch_ ? lost_stretch_->last : last_;
    return TakeGap(last_, std::max(last_, last));
  }
}

}  // namespace jettison
