#include "agent/recorder/recording_stream.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "agent/recorder/recording_folder.h"
#include "codec/flight/recording_reader.h"
#include "ports/system_error.h"

namespace jettison {
namespace {

// A chunk says in less when its first item was.
constexpr std::size_t kHead = std::size_t{4} << 10;

Result<FileDescriptor> OpenFile(const std::string& path) {
  FileDescriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW));
  if (!file && errno != ENOENT) return FailErrno("open " + path);
  return file;
}

Result<std::string> ReadAt(int file, std::uint64_t at, std::size_t most) {
  std::string bytes(most, '\0');
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
                                              const RecordingTimes& times) {
  auto files = SegmentsIn(folder);
  if (!files) return Fail(files.error());
  return RecordingStream(times, *std::move(files));
}

// What has no time is handed out in any case; the reader of the stream reports it.
Result<bool> RecordingStream::IsWithin() const {
  if (times_.until) {
    const auto head = ReadAt(file_.get(), 0, kHead);
    if (!head) return Fail(head.error());
    if (FirstOfChunk(*head) > times_.until) return false;
  }
  if (times_.since && next_file_ < files_.size()) {
    const auto next = OpenFile(files_[next_file_]);
    if (!next || !*next) return true;
    const auto head = ReadAt(next->get(), 0, kHead);
    if (!head) return true;
    const auto first = FirstOfChunk(*head);
    return !first || *first > *times_.since;
  }
  return true;
}

// A file that has been deleted meanwhile was the oldest of a full recording.
Result<bool> RecordingStream::OpenNextFile() {
  while (next_file_ < files_.size()) {
    auto file = OpenFile(files_[next_file_++]);
    if (!file) return Fail(file.error());
    file_ = *std::move(file);
    at_ = 0;
    if (!file_) continue;
    auto is_within = IsWithin();
    if (!is_within || *is_within) return is_within;
  }
  file_.Close();
  return false;
}

Result<std::optional<std::string>> RecordingStream::Next() {
  for (;;) {
    if (!file_) {
      const auto opened = OpenNextFile();
      if (!opened) return Fail(opened.error());
      if (!*opened) return std::nullopt;
    }
    auto piece = ReadAt(file_.get(), at_, kPiece);
    if (!piece) return Fail(piece.error());
    at_ += piece->size();
    if (!piece->empty()) return *std::move(piece);
    file_.Close();
  }
}

}  // namespace jettison
