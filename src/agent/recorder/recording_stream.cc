#include "agent/recorder/recording_stream.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <limits>
#include <utility>

#include "agent/recorder/recording_folder.h"
#include "codec/flight/chunk_header.h"
#include "ports/system_error.h"

namespace jettison {
namespace {

Result<std::string> ReadAt(int file, std::uint64_t at, std::uint64_t most) {
  std::string bytes(std::min<std::uint64_t>(most, RecordingStream::kPiece), '\0');
  ssize_t read = 0;
  do {
    read = ::pread(file, bytes.data(), bytes.size(), static_cast<off_t>(at));
  } while (read < 0 && errno == EINTR);
  if (read < 0) return FailErrno("read the recording");
  bytes.resize(static_cast<std::size_t>(read));
  return bytes;
}

}  // namespace

Result<RecordingStream> RecordingStream::Open(const std::string& folder,
                                              const RecordingTimes& times, OpenChunk open) {
  auto files = SegmentsIn(folder);
  if (!files) return Fail(files.error());
  return RecordingStream(folder, times, std::move(open), *std::move(files));
}

bool RecordingStream::IsWithin(const RecordedStretch& stretch) const {
  return (!times_.since || stretch.last >= *times_.since) &&
         (!times_.until || stretch.first <= *times_.until);
}

Result<void> RecordingStream::FindNewFiles() {
  auto files = SegmentsIn(folder_);
  if (!files) return Fail(files.error());
  for (std::string& path : *files) {
    // Their names have the same length, so their order is that of their numbers.
    if (files_.empty() || path > files_.back()) files_.push_back(std::move(path));
  }
  return {};
}

// A file that has been deleted meanwhile was the oldest of a full recording.
Result<bool> RecordingStream::OpenNextFile() {
  if (next_file_ == files_.size()) {
    if (auto found = FindNewFiles(); !found) return Fail(found.error());
  }
  while (next_file_ < files_.size()) {
    const std::string& path = files_[next_file_++];
    file_ = FileDescriptor(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW));
    at_ = left_ = 0;
    if (file_) return true;
    if (errno != ENOENT) return FailErrno("open " + path);
  }
  return false;
}

// Bytes that are not a chunk are passed on unchanged; the reader of the stream reports them.
Result<bool> RecordingStream::FindChunk() {
  for (;;) {
    const auto begin = ReadAt(file_.get(), at_, kMostHeaderBytes);
    if (!begin) return Fail(begin.error());
    if (begin->empty()) return false;
    const auto size = ChunkHeaderSize(*begin);
    const auto header = size && *size <= begin->size()
                            ? ReadChunkHeader(std::string_view(*begin).substr(0, *size))
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

Result<void> RecordingStream::ReadOpenChunk() {
  auto open = open_chunk_();
  if (!open) return Fail(open.error());
  const auto size = ChunkHeaderSize(*open);
  const auto header = size ? ReadChunkHeader(std::string_view(*open).substr(0, *size))
                           : Fail(ErrorCode::kInvalidArgument, "");
  if (header && IsWithin(header->stretch)) open_ = *std::move(open);
  return {};
}

Result<std::optional<std::string>> RecordingStream::NextOfOpenChunk() {
  if (!std::exchange(open_was_read_, true)) {
    if (auto read = ReadOpenChunk(); !read) return Fail(read.error());
  }
  if (open_.empty()) return std::nullopt;
  std::string piece = open_.substr(0, kPiece);
  open_.erase(0, piece.size());
  return piece;
}

Result<std::string> RecordingStream::NextOfFile() {
  if (left_ == 0) {
    const auto found = FindChunk();
    if (!found) return Fail(found.error());
    if (!*found) return std::string();
  }
  auto piece = ReadAt(file_.get(), at_, left_);
  if (!piece) return piece;
  at_ += piece->size();
  left_ -= piece->size();
  return piece;
}

Result<std::optional<std::string>> RecordingStream::Next() {
  for (;;) {
    if (open_was_read_) return NextOfOpenChunk();
    if (!file_) {
      const auto opened = OpenNextFile();
      if (!opened) return Fail(opened.error());
      if (!*opened) return NextOfOpenChunk();
    }
    auto piece = NextOfFile();
    if (!piece) return Fail(piece.error());
    if (!piece->empty()) return *std::move(piece);
    file_.Close();
  }
}

}  // namespace jettison
