#include "codec/flight/recording_writer.h"

#include <memory>
#include <variant>

namespace jettison {

Result<void> RecordingWriter::Add(const RecordedItem& item) {
  if (const auto* about = std::get_if<RecordingAbout>(&item)) {
    auto written = Cut();
    chunk_.emplace(*about, 0);
    return written;
  }
  if (!chunk_) {
    return Fail(ErrorCode::kInvalidArgument, "a recording must begin with whose it is");
  }
  if (const auto* pass = std::get_if<std::shared_ptr<const RecordedPass>>(&item)) {
    chunk_->Add(**pass);
  } else if (const auto* kill = std::get_if<RecordedOomKill>(&item)) {
    chunk_->Add(*kill);
  } else if (const auto* note = std::get_if<RecordedNote>(&item)) {
    chunk_->Add(*note);
  } else {
    chunk_->Add(std::get<RecordedGap>(item));
  }
  if (chunk_->header().stretch.passes <= 1) begins_with_ = chunk_->bytes();
  return IsFull() ? Cut() : Result<void>();
}

bool RecordingWriter::IsFull() const {
  const RecordedStretch& stretch = chunk_->header().stretch;
  return stretch.passes >= limits_.passes || chunk_->bytes() >= begins_with_ + limits_.bytes ||
         Elapsed(stretch.first, stretch.last) >= limits_.time;
}

Result<void> RecordingWriter::Cut() {
  if (!chunk_ || (chunk_->empty() && chunk_->header().sequence > 0)) return {};
  std::string bytes;
  auto made = chunk_->Write(zstd_, bytes);
  const ChunkHeader& header = chunk_->header();
  chunk_.emplace(RecordingAbout(header.about), header.sequence + 1);
  if (!made) return made;
  return write_(bytes);
}

Result<void> RecordingWriter::Peek(std::string& out) {
  if (!chunk_ || (chunk_->empty() && chunk_->header().sequence > 0)) return {};
  return chunk_->Write(zstd_, out);
}

}  // namespace jettison
