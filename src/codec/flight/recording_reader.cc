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
                                   : "this is no recording of Jettison, or damaged");
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

// Its body is not looked at, but it must be there.
Result<bool> RecordingReader::Skip(const ChunkHeader& header, std::size_t header_size) {
  const std::size_t size = header_size + header.BodyBytes();
  if (auto filled = Fill(size); !filled) return Fail(filled.error());
  if (Ready().size() < size) return Lose(header.stretch, "the recording ends within a chunk");
  Take(size);
  Enter(header);
  last_ = header.stretch.last;
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

// Says what is between this chunk and the one before.
void RecordingReader::Enter(const ChunkHeader& header) {
  ++found_.chunks;
  const bool is_first = !about_;
  const bool is_other = about_ != header.about || (header.sequence == 0 && next_sequence_ != 1);
  repeated_until_.reset();
  if (is_other) {
    next_sequence_ = header.sequence;
  } else if (header.sequence < next_sequence_) {
    ++found_.chunks_repeated;
    repeated_until_ = last_;
  }
  if (header.sequence > next_sequence_) {
    found_.chunks_missing += header.sequence - next_sequence_;
    if (lost_.empty()) {
      lost_ =
          fmt::format("{} chunks of the recording are missing", header.sequence - next_sequence_);
    }
  }
  if (is_other) due_.emplace_back(header.about);
  if (!lost_.empty()) {
    const Instant to = header.stretch.first;
    const Instant begin = lost_stretch_ ? std::min(lost_stretch_->first, to) : to;
    due_.emplace_back(TakeGap(is_first ? begin : last_, to));
  }
  // The gap belongs to what was before, unless there is nothing.
  if (is_first) std::ranges::reverse(due_);
  about_ = header.about;
  next_sequence_ = std::max(next_sequence_, header.sequence + 1);
  header_ = header;
}

// Whether the item was told already, by a chunk of the same number.
bool RecordingReader::IsRepeated(const RecordedItem& item) const {
  if (!repeated_until_) return false;
  if (const auto* pass = std::get_if<std::shared_ptr<const RecordedPass>>(&item)) {
    return (*pass)->report.at <= *repeated_until_;
  }
  if (const auto* kill = std::get_if<RecordedOomKill>(&item)) return kill->at <= *repeated_until_;
  if (const auto* note = std::get_if<RecordedNote>(&item)) return note->at <= *repeated_until_;
  return std::get<RecordedGap>(item).from <= *repeated_until_;
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
      if (!repeated_until_ || chunk_->at() > *repeated_until_) last_ = chunk_->at();
      if (item && *item && IsRepeated(**item)) continue;
      if (item && *item) return item;
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
    if (lost_.empty() || !about_) return std::nullopt;
    const Instant last = lost_stretch_ ? lost_stretch_->last : last_;
    return TakeGap(last_, std::max(last_, last));
  }
}

}  // namespace jettison
