#include "codec/flight/recording_reader.h"

#include <fmt/format.h>
#include <google/protobuf/util/delimited_message_util.h>
#include <google/protobuf/util/json_util.h>

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
// More bytes without a chunk's begin, or without an end of line, are none that was written.
constexpr std::size_t kMostAtOnce = std::size_t{32} << 20;

// False: there is no next message, or it makes no sense.
bool ReadMessage(google::protobuf::io::ArrayInputStream& stream, recording::Item& into) {
  bool is_at_end = false;
  into.Clear();
  return google::protobuf::util::ParseDelimitedFromZeroCopyStream(&into, &stream, &is_at_end);
}

std::string_view WhyNoChunk(std::string_view bytes) {
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

Result<std::size_t> RecordingReader::BytesUntil(std::string_view text, std::size_t from) {
  for (;;) {
    const std::size_t next = Ready().find(text, from);
    if (next != std::string_view::npos) return next;
    if (ended_ || Ready().size() >= kMostAtOnce) return Ready().size();
    from = std::max(from, Ready().size() - std::min(Ready().size(), text.size() - 1));
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

// A line alone; or the rest of the chunk, whose frame that was begun is done with.
tl::unexpected<Error> RecordingReader::Lose(std::string_view why) {
  if (!has_lines_) {
    in_chunk_ = false;
    stream_.reset();
    return PassOver(std::exchange(left_, 0), why);
  }
  decoder_.Lose();
  if (lost_.empty()) lost_ = fmt::format("line {} could not be read", line_);
  return Fail(ErrorCode::kInvalidArgument, fmt::format("line {}: {}", line_, why));
}

Result<bool> RecordingReader::NextMessage() {
  if (failed_) return false;
  if (place_ == 0) {
    if (auto filled = Fill(1); !filled) return Fail(filled.error());
    has_lines_ = Ready().starts_with('{');
  }
  return has_lines_ ? NextOfLines() : NextOfChunks();
}

Result<bool> RecordingReader::NextOfLines() {
  for (;;) {
    const auto bytes = BytesUntil("\n", 0);
    if (!bytes) return Fail(bytes.error());
    if (Ready().empty()) return false;
    const std::string line(Ready().substr(0, *bytes));
    Take(std::min(*bytes + 1, Ready().size()));
    ++line_;
    if (line.find_first_not_of(" \t\r") == std::string::npos) continue;
    message_.Clear();
    const auto status = google::protobuf::util::JsonStringToMessage(line, &message_);
    if (!status.ok()) return Lose(std::string(status.message()));
    if (message_.has_chunk()) return Lose("a line is of no chunk");
    return true;
  }
}

Result<bool> RecordingReader::NextOfChunks() {
  for (;;) {
    if (!in_chunk_) {
      const auto more = NextChunk();
      if (!more || !*more) return more;
    }
    if (stream_ && stream_->ByteCount() < static_cast<std::int64_t>(messages_.size())) {
      const bool is_read = ReadMessage(*stream_, message_);
      if (is_read && message_.has_chunk() != std::exchange(has_head_, true)) return true;
      return Lose("a chunk: it makes no sense");
    }
    if (!has_head_ || (left_ > 0 && BeginsZstdFrame(Ready()))) {
      if (auto read = NextFrame(); !read) return Lose(read.error().message);
      continue;
    }
    // What follows is the next chunk, or none.
    in_chunk_ = false;
    stream_.reset();
    ++found_.chunks;
  }
}

Result<bool> RecordingReader::NextChunk() {
  if (auto filled = Fill(kChunkMagic.size()); !filled) return Fail(filled.error());
  if (Ready().empty()) return false;
  const bool is_chunk = Ready().starts_with(kChunkMagic);
  const auto bytes = BytesUntil(kChunkMagic, is_chunk ? kChunkMagic.size() : 0);
  if (!bytes) return Fail(bytes.error());
  if (!is_chunk) return PassOver(*bytes, WhyNoChunk(Ready().substr(0, *bytes)));
  Take(kChunkMagic.size());
  left_ = *bytes - kChunkMagic.size();
  in_chunk_ = true;
  has_head_ = false;
  return true;
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

// Chunks of one start go on where their numbers ascend.
bool RecordingReader::GoesOn(const RecordingAbout& about) {
  const std::uint64_t before = std::exchange(sequence_, message_.chunk().sequence());
  const bool goes_on = about_ == about && before < sequence_;
  about_ = about;
  if (!goes_on || sequence_ == before + 1) return goes_on;
  const std::uint64_t missing = sequence_ - before - 1;
  found_.chunks_missing += missing;
  if (lost_.empty()) lost_ = fmt::format("{} chunks of the recording are missing", missing);
  return true;
}

// The item itself, or where something is lost the gap before it; the item is due then.
RecordedItem RecordingReader::BehindGap(RecordedItem item) {
  const Instant at = WhenOf(item);
  const Instant from = std::min(last_.value_or(at), at);
  if (!last_ || std::holds_alternative<std::shared_ptr<const RecordedPass>>(item)) last_ = at;
  if (lost_.empty()) return item;
  due_ = std::move(item);
  return RecordedGap{.from = from, .to = at, .why = std::exchange(lost_, {})};
}

Result<std::optional<RecordedItem>> RecordingReader::Next() {
  if (due_) return std::exchange(due_, std::nullopt);
  for (;;) {
    const auto more = NextMessage();
    if (!more) return Fail(more.error());
    if (!*more) break;
    auto item = decoder_.Take(message_);
    if (!item) return Lose((has_lines_ ? "" : "a chunk: ") + item.error().message);
    if (!*item) continue;
    const auto* about = std::get_if<RecordingAbout>(&**item);
    if (about == nullptr) return BehindGap(**std::move(item));
    began_ = about->at;
    if (!message_.has_chunk() || !GoesOn(*about)) return item;
  }
  if (lost_.empty() || !began_) return std::nullopt;
  const Instant at = last_.value_or(*began_);
  return RecordedGap{.from = at, .to = at, .why = std::exchange(lost_, {})};
}

}  // namespace jettison
