#include "codec/flight/recording_reader.h"

#include <fmt/format.h>
#include <google/protobuf/util/delimited_message_util.h>

#include <algorithm>
#include <memory>
#include <utility>
#include <variant>

#include "codec/flight/messages.h"
#include "codec/flight/recording_writer.h"
#include "codec/flight/zstd_frame.h"

namespace jettison {
namespace {

constexpr std::size_t kReadAtOnce = std::size_t{64} << 10;
// More bytes without a chunk's begin are no chunk that was written.
constexpr std::size_t kMostChunkBytes = std::size_t{32} << 20;

// False: there is no next message, or it makes no sense.
bool ReadMessage(google::protobuf::io::ArrayInputStream& stream, recording::Item& into) {
  bool is_at_end = false;
  into.Clear();
  return google::protobuf::util::ParseDelimitedFromZeroCopyStream(&into, &stream, &is_at_end);
}

std::string_view WhyNoChunk(std::string_view bytes) {
  if (bytes.starts_with(kFormerChunkMagic)) {
    return "this recording has the former format, which only the version that wrote it reads";
  }
  if (kChunkMagic.starts_with(bytes)) return "a chunk is cut off by the end of the recording";
  return "not a Jettison recording, or damaged";
}

}  // namespace

std::optional<Instant> FirstOfChunk(std::string_view bytes) {
  if (!bytes.starts_with(kChunkMagic)) return std::nullopt;
  const std::string_view frames = bytes.substr(kChunkMagic.size());
  const auto size = ZstdFrameSize(frames);
  const auto text = size ? ZstdText(frames.substr(0, *size)) : Fail(size.error());
  if (!text) return std::nullopt;
  google::protobuf::io::ArrayInputStream stream(text->data(), static_cast<int>(text->size()));
  recording::Item head;
  if (!ReadMessage(stream, head)) return std::nullopt;
  const auto first = NanosecondsIn(head.chunk().first());
  if (!first) return std::nullopt;
  return Instant(Duration(*first));
}

Result<void> RecordingReader::Fill(std::size_t bytes) {
  if (Ready().size() >= bytes || ended_) return {};
  ready_.erase(0, std::exchange(at_, 0));
  while (ready_.size() < bytes && !ended_) {
    const std::size_t before = ready_.size();
    ready_.resize(before + kReadAtOnce);
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

Result<std::size_t> RecordingReader::BytesToNextChunk(std::size_t from) {
  for (;;) {
    const std::size_t next = Ready().find(kChunkMagic, from);
    if (next != std::string_view::npos) return next;
    if (ended_ || Ready().size() >= kMostChunkBytes) return Ready().size();
    from = std::max(from, Ready().size() - std::min(Ready().size(), kChunkMagic.size() - 1));
    if (auto filled = Fill(Ready().size() + kReadAtOnce); !filled) return Fail(filled.error());
  }
}

tl::unexpected<Error> RecordingReader::PassOver(std::size_t bytes, std::string_view why) {
  const std::uint64_t from = place_;
  Take(bytes);
  found_.damaged_bytes += bytes;
  lost_ = fmt::format("byte {} of the recording: {}", from, why);
  return Fail(ErrorCode::kInvalidArgument,
              fmt::format("byte {}: {}; {} bytes are passed over", from, why, bytes));
}

Result<bool> RecordingReader::NextChunk() {
  if (auto filled = Fill(kChunkMagic.size()); !filled) return Fail(filled.error());
  if (Ready().empty()) return false;
  const bool is_chunk = Ready().starts_with(kChunkMagic);
  const auto bytes = BytesToNextChunk(is_chunk ? kChunkMagic.size() : 0);
  if (!bytes) return Fail(bytes.error());
  if (!is_chunk) return PassOver(*bytes, WhyNoChunk(Ready().substr(0, *bytes)));
  Take(kChunkMagic.size());
  left_ = *bytes - kChunkMagic.size();
  in_chunk_ = true;
  has_head_ = false;
  return true;
}

// The frame that was begun is done with, so the rest of the chunk is lost with what is wrong.
RecordingReader::MaybeItem RecordingReader::Lose(const Error& why) {
  in_chunk_ = false;
  stream_.reset();
  return PassOver(std::exchange(left_, 0), why.message);
}

// What follows is the next chunk, or none.
void RecordingReader::End() {
  in_chunk_ = false;
  stream_.reset();
  ++found_.chunks;
  told_->next_sequence = std::max(told_->next_sequence, sequence_ + 1);
}

Result<void> RecordingReader::NextFrame() {
  const std::string_view frames = Ready().substr(0, left_);
  const auto size = ZstdFrameSize(frames);
  if (!size && size.error().code == ErrorCode::kNotFound) {
    const bool is_end = ended_ && left_ == Ready().size();
    return Fail(ErrorCode::kInvalidArgument, is_end
                                                 ? "a chunk is cut off by the end of the recording"
                                                 : "a chunk is not complete");
  }
  auto text = size ? ZstdText(frames.substr(0, *size)) : Fail(size.error());
  if (!text) return Fail(text.error().In("a chunk"));
  messages_ = *std::move(text);
  stream_.emplace(messages_.data(), static_cast<int>(messages_.size()));
  Take(*size);
  left_ -= *size;
  return {};
}

RecordingReader::MaybeItem RecordingReader::NextOfChunk() {
  if (!stream_ || stream_->ByteCount() == static_cast<std::int64_t>(messages_.size())) {
    if (has_head_ && (left_ == 0 || !BeginsZstdFrame(Ready()))) {
      End();
      return std::nullopt;
    }
    if (auto read = NextFrame(); !read) return Lose(read.error());
  }
  if (!ReadMessage(*stream_, message_) || message_.has_chunk() == std::exchange(has_head_, true)) {
    return Lose({ErrorCode::kInvalidArgument, "a chunk: it makes no sense"});
  }
  auto item = decoder_.Take(message_);
  if (!item) return Lose(item.error().In("a chunk"));
  if (!message_.has_chunk()) return item;
  if (auto entered = Enter(message_.chunk()); !entered) return Lose(entered.error());
  return std::nullopt;
}

// Chunks of one start in ascending order are a run. What was told of the start before a run is not
// told again by it, except where the sequence says that a chunk is new.
Result<void> RecordingReader::Enter(const recording::Chunk& chunk) {
  RecordingAbout about;
  std::string fault;
  const auto first = NanosecondsIn(chunk.first());
  if (!FromMessage(chunk.about(), about, fault) || !first) {
    return Fail(ErrorCode::kInvalidArgument, "a chunk: its head makes no sense");
  }
  const bool is_first = !header_;
  const bool goes_on = header_ == about && sequence_ < chunk.sequence();
  const auto [told, is_new] = starts_.Of(about);
  told_ = told;
  if (!goes_on) told_before_ = *told;
  is_repeated_ = chunk.sequence() < told_before_.next_sequence;
  if (is_repeated_) ++found_.chunks_repeated;
  if (!is_new && chunk.sequence() > told->next_sequence) {
    const std::uint64_t missing = chunk.sequence() - told->next_sequence;
    found_.chunks_missing += missing;
    if (lost_.empty()) lost_ = fmt::format("{} chunks of the recording are missing", missing);
  } else if (!is_new) {
    lost_.clear();  // it was a copy of what was told
  }
  if (is_new) due_.emplace_back(about);
  first_ = Instant(Duration(*first));
  AddLost(is_first);
  if (is_first) last_ = first_;
  // The gap belongs to what was before, unless there is nothing.
  if (is_first) std::ranges::reverse(due_);
  if (is_new) about_ = about;
  if (!goes_on && told->last) last_ = *told->last;
  header_ = std::move(about);
  sequence_ = chunk.sequence();
  return {};
}

// Says that something is lost between these passes and those before.
void RecordingReader::AddLost(bool is_first) {
  if (lost_.empty()) return;
  const Instant from = is_first ? first_ : last_;
  due_.emplace_back(
      RecordedGap{.from = from, .to = std::max(from, first_), .why = std::exchange(lost_, {})});
}

// Whether what happened then was told already, before this run.
bool RecordingReader::IsRepeated(Instant at) const {
  return is_repeated_ && told_before_.Has(at);
}

// Whose an item is comes before it, where what was told last is of another start.
RecordedItem RecordingReader::Tell(RecordedItem item) {
  told_->Add(WhenOf(item));
  if (std::holds_alternative<std::shared_ptr<const RecordedPass>>(item)) last_ = WhenOf(item);
  if (about_ == header_) return item;
  about_ = header_;
  due_.push_back(std::move(item));
  return *about_;
}

Result<std::optional<RecordedItem>> RecordingReader::Next() {
  for (;;) {
    if (failed_) return std::nullopt;
    if (!due_.empty()) {
      RecordedItem item = std::move(due_.back());
      due_.pop_back();
      return item;
    }
    if (in_chunk_) {
      auto item = NextOfChunk();
      if (!item) return item;
      if (*item && !IsRepeated(WhenOf(**item))) return Tell(**std::move(item));
      continue;
    }
    const auto more = NextChunk();
    if (!more) return Fail(more.error());
    if (*more) continue;
    if (lost_.empty() || !about_) return std::nullopt;
    return RecordedGap{
        .from = last_, .to = std::max(last_, first_), .why = std::exchange(lost_, {})};
  }
}

}  // namespace jettison
