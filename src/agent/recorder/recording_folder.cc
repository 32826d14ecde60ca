#include "agent/recorder/recording_folder.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <ranges>
#include <utility>

#include "codec/flight/recording_reader.h"
#include "codec/flight/recording_writer.h"
#include "core/text/number.h"
#include "kernel/files/files.h"
#include "ports/system_error.h"

namespace jettison {
namespace {

constexpr std::string_view kSuffix = ".jtr";
// Deleted to make room for one write, where others take what becomes free.
constexpr std::uint64_t kMostFreed = std::uint64_t{4} << 20;
constexpr unsigned kFolderMode = 0750;
constexpr unsigned kFileMode = 0640;

FileDescriptor OpenFile(const std::string& path, int flags) {
  return FileDescriptor(::open(path.c_str(), flags | O_CLOEXEC | O_NOFOLLOW, kFileMode));
}

// Returns 0 or an errno.
int WriteAll(int file, std::string_view bytes, std::uint64_t at) {
  while (!bytes.empty()) {
    const ssize_t written = ::pwrite(file, bytes.data(), bytes.size(), static_cast<off_t>(at));
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return errno;
    bytes.remove_prefix(static_cast<std::size_t>(written));
    at += static_cast<std::uint64_t>(written);
  }
  return 0;
}

// Succeeds on what cannot be forced to a disk because it lies on none.
Result<void> Force(int file, RecordingFolder::Sync sync) {
  if (sync(file) == 0 || errno == EINVAL || errno == ENOSYS) return {};
  return FailErrno("force the recording to the disk");
}

// 0: not the name, or the path, of a segment.
std::uint64_t NumberOf(std::string_view name) {
  if (!name.ends_with(kSuffix)) return 0;
  name.remove_suffix(kSuffix.size());
  name.remove_prefix(name.rfind('/') + 1);
  return ParseNumber<std::uint64_t>(name).value_or(0);
}

// A chunk says in less when its first item was.
constexpr std::size_t kHead = std::size_t{4} << 10;

Result<FileDescriptor> OpenToRead(const std::string& path) {
  FileDescriptor file = OpenFile(path, O_RDONLY);
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

Result<std::vector<std::string>> SegmentsIn(const std::string& folder) {
  auto names = kernel::NamesIn(folder);
  if (!names) return Fail(names.error());
  std::erase_if(*names, [](const std::string& name) { return NumberOf(name) == 0; });
  std::ranges::sort(*names, {}, &NumberOf);
  for (std::string& name : *names) name = folder + "/" + name;
  return names;
}

RecordingFolder::RecordingFolder(std::string folder, const RecordingConfig& config, Sync sync)
    : folder_(std::move(folder)),
      sync_(sync),
      max_bytes_(static_cast<std::uint64_t>(config.max_bytes)),
      max_age_(config.max_age) {}

Result<void> RecordingFolder::FindSegments() {
  const auto paths = SegmentsIn(folder_);
  if (!paths) return Fail(paths.error());
  segments_.clear();
  bytes_ = 0;
  for (const std::string& path : *paths) {
    struct stat status {};
    if (::stat(path.c_str(), &status) != 0) {
      if (errno == ENOENT) continue;
      return FailErrno("look at " + path);
    }
    if (status.st_size == 0) {
      (void)::unlink(path.c_str());
      continue;
    }
    Segment& segment = segments_.emplace_back();
    segment.path = path;
    segment.bytes = static_cast<std::uint64_t>(status.st_size);
    segment.ended = Instant(std::chrono::seconds(status.st_mtim.tv_sec));
    bytes_ += segment.bytes;
  }
  return {};
}

// Without knowing what is there, a number could be given again.
Result<void> RecordingFolder::Open() {
  if (is_open_) return {};
  if (auto made = kernel::MakeFolders(folder_, kFolderMode); !made) return made;
  if (auto found = FindSegments(); !found) return found;
  is_open_ = true;
  return {};
}

Result<void> RecordingFolder::BeginSegment() {
  const std::uint64_t last = segments_.empty() ? 0 : NumberOf(segments_.back().path);
  const std::string path = fmt::format("{}/{:010}{}", folder_, last + 1, kSuffix);
  file_ = OpenFile(path, O_WRONLY | O_CREAT);
  if (!file_) return FailErrno("open " + path);
  const Instant ended = segments_.empty() ? Instant() : segments_.back().ended;
  segments_.push_back({.path = path, .ended = ended});  // nothing is in it yet
  return {};
}

Result<void> RecordingFolder::Append(std::string_view frames, Instant now) {
  if (auto open = Open(); !open) return open;
  DateFound(now);
  auto written = Write(frames, now);
  ForgetOld(now);
  return written;
}

Result<void> RecordingFolder::Write(std::string_view frames, Instant now) {
  if (!file_ || (segments_.back().bytes > 0 && frames.starts_with(kChunkMagic))) {
    if (auto begun = BeginSegment(); !begun) return begun;
  }
  const auto write = [&] { return WriteAll(file_.get(), frames, segments_.back().bytes); };
  int error = write();
  std::uint64_t freed = 0;
  while ((error == ENOSPC || error == EDQUOT) && segments_.size() > 1 && freed < kMostFreed) {
    freed += segments_.front().bytes;
    ForgetOldest();
    error = write();
  }
  Result<void> written = Fail(SystemError(error, "write the recording"));
  if (error == 0) written = Force(file_.get(), sync_);
  Segment& segment = segments_.back();
  if (!written) {
    // A partly written frame is cut off; a reader would skip it, too.
    (void)::ftruncate(file_.get(), static_cast<off_t>(segment.bytes));
    return written;
  }
  segment.bytes += frames.size();
  segment.ended = now;
  bytes_ += frames.size();
  return {};
}

// Within this life `now` follows a clock that nobody sets. A machine without a clock of its own
// writes files of 1970 until it is told the time, so a step may lead back.
void RecordingFolder::DateFound(Instant now) {
  if (std::exchange(is_dated_, true)) return;
  const Duration longest = max_age_ / 2;
  Instant next_by_file = now;
  Instant next = now;
  for (Segment& segment : std::views::reverse(segments_)) {
    const Duration step = Elapsed(segment.ended, next_by_file);
    next_by_file = segment.ended;
    next -= std::clamp(step, Duration::zero(), longest);
    segment.ended = next;
  }
}

void RecordingFolder::ForgetOld(Instant now) {
  const auto too_much = [&] { return bytes_ > max_bytes_; };
  const auto too_old = [&] { return Elapsed(segments_.front().ended, now) > max_age_; };
  while (segments_.size() > 1 && (too_much() || too_old())) ForgetOldest();
}

void RecordingFolder::ForgetOldest() {
  (void)::unlink(segments_.front().path.c_str());
  bytes_ -= segments_.front().bytes;
  segments_.erase(segments_.begin());
}

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
    const auto next = OpenToRead(files_[next_file_]);
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
    auto file = OpenToRead(files_[next_file_++]);
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
