#include "agent/recorder/recording_stream.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <limits>
#include <utility>

#include "agent/recorder/recording_folder.h"
#include "codec/flight/chunk_header.h"

namespace jettison {
namespace {

std::string ReadAt(int file, std::uint64_t at, std::uint64_t most) {
  std::string bytes(std::min<std::uint64_t>(most, RecordingStream::kPiece), '\0');
  ssize_t read = 0;
  do {
    read = ::pread(file, bytes.data(), bytes.size(), static_cast<off_t>(at));
  } while (read < 0 && errno == EINTR);
  bytes.resize(static_cast<std::size_t>(std::max<ssize_t>(read, 0)));
  return bytes;
}

}  // namespace

Result<RecordingStream> RecordingStream::Open(const std::string& folder, const Times& times) {
  auto files = SegmentsIn(folder);
  if (!files) return Fail(files.error());
  return RecordingStream(folder, times, *std::move(files));
}

bool RecordingStream::IsWithin(const RecordedStretch& stretch) const {
  return (!times_.since || stretch.last >= *times_.since) &&
         (!times_.until || stretch.first <= *times_.until);
}

bool RecordingStream::OpenNextFile() {
  while (next_file_ < files_.size()) {
    file_ = FileDescriptor(::open(files_[next_file_++].c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW));
    at_ = left_ = 0;
    if (file_) return true;
  }
  return false;
}

// Bytes that are not a chunk are passed on unchanged; the reader of the stream reports them.
bool RecordingStream::FindChunk() {
  for (;;) {
    const std::string begin = ReadAt(file_.get(), at_, kMostHeaderBytes);
    if (begin.empty()) return false;
    const auto size = ChunkHeaderSize(begin);
    const auto header = size && *size <= begin.size()
                            ? ReadChunkHeader(std::string_view(begin).substr(0, *size))
                            : Fail(ErrorCode::kInvalidArgument, "");
    if (!header) {
      left_ = std::numeric_limits<std::uint64_t>::max();
      return true;
    }
    left_ = *size + header->BodyBytes();
    if (IsWithin(header->stretch)) return true;
    at_ += left_;
  }
}

std::optional<std::string> RecordingStream::NextOfOpenChunk() {
  if (!std::exchange(open_was_read_, true)) {
    open_ = OpenChunkIn(folder_);
    const auto size = ChunkHeaderSize(open_);
    const auto header = size ? ReadChunkHeader(std::string_view(open_).substr(0, *size))
                             : Fail(ErrorCode::kInvalidArgument, "");
    if (!header || !IsWithin(header->stretch)) open_.clear();
  }
  if (open_.empty()) return std::nullopt;
  std::string piece = open_.substr(0, kPiece);
  open_.erase(0, piece.size());
  return piece;
}

std::optional<std::string> RecordingStream::Next() {
  for (;;) {
    if (!file_ && !OpenNextFile()) return NextOfOpenChunk();
    if (left_ == 0 && !FindChunk()) {
      file_.Close();
      continue;
    }
    std::string piece = ReadAt(file_.get(), at_, left_);
    if (piece.empty()) {
      file_.Close();
      continue;
    }
    at_ += piece.size();
    left_ -= piece.size();
    return piece;
  }
}

}  // namespace jettison
