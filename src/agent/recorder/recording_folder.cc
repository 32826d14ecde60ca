#include "agent/recorder/recording_folder.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <ranges>
#include <utility>

#include "agent/recorder/segment_tail.h"
#include "codec/flight/chunk_header.h"
#include "kernel/files/files.h"
#include "ports/system_error.h"

namespace jettison {
namespace {

constexpr std::string_view kSuffix = ".jtr";
constexpr std::uint64_t kSegments = 16;  // the number of segments in a full recording
constexpr std::uint64_t kLeastSegment = std::uint64_t{256} << 10;
constexpr std::uint64_t kMostSegment = std::uint64_t{4} << 20;
constexpr std::int64_t kOpenBytes = std::int64_t{256} << 10;
constexpr std::int64_t kBytesOfBlock = 512;  // the unit of st_blocks
constexpr unsigned kFolderMode = 0750;
constexpr unsigned kFileMode = 0640;

FileDescriptor OpenFile(const std::string& path, int flags) {
  return FileDescriptor(::open(path.c_str(), flags | O_CLOEXEC | O_NOFOLLOW, kFileMode));
}

// Succeeds without a reservation on a file system that cannot reserve. Returns 0 or an errno.
int Reserve(int file, std::uint64_t bytes) {
  if (::fallocate(file, FALLOC_FL_KEEP_SIZE, 0, static_cast<off_t>(bytes)) == 0) return 0;
  return errno == EOPNOTSUPP || errno == ENOSYS || errno == EINTR ? 0 : errno;
}

Error NotReserved(int error) {
  return SystemError(error, "reserve space for the recording");
}

Result<void> WriteAll(int file, std::string_view bytes, std::uint64_t at) {
  while (!bytes.empty()) {
    const ssize_t written = ::pwrite(file, bytes.data(), bytes.size(), static_cast<off_t>(at));
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return FailErrno("write the recording");
    bytes.remove_prefix(static_cast<std::size_t>(written));
    at += static_cast<std::uint64_t>(written);
  }
  return {};
}

// Succeeds on what cannot be forced to a disk because it lies on none.
Result<void> Force(int file, RecordingFolder::Sync sync) {
  if (sync(file) == 0 || errno == EINVAL || errno == ENOSYS) return {};
  return FailErrno("force the recording to the disk");
}

// 0: not the name of a segment.
std::uint64_t NumberOf(std::string_view name) {
  if (!name.ends_with(kSuffix)) return 0;
  name.remove_suffix(kSuffix.size());
  std::uint64_t number = 0;
  const auto [end, fault] = std::from_chars(name.data(), name.data() + name.size(), number);
  return fault == std::errc() && end == name.data() + name.size() ? number : 0;
}

Result<std::vector<std::uint64_t>> NumbersIn(const std::string& folder) {
  auto names = kernel::NamesIn(folder);
  if (!names) return Fail(names.error());
  std::vector<std::uint64_t> numbers;
  for (const std::string& name : *names) {
    if (const std::uint64_t number = NumberOf(name); number > 0) numbers.push_back(number);
  }
  std::ranges::sort(numbers);
  return numbers;
}

std::string SegmentPath(const std::string& folder, std::uint64_t number) {
  return fmt::format("{}/{:010}{}", folder, number, kSuffix);
}

std::string OpenPath(const std::string& folder, unsigned which) {
  return fmt::format("{}/open.{}", folder, which);
}

struct OpenChunk {
  ChunkHeader header;
  std::string bytes;
};

// The chunk in one of the two files, if it is complete according to its sizes.
Result<std::optional<OpenChunk>> ReadOpen(const std::string& path) {
  auto text = kernel::ReadFile(path);
  if (!text && text.error().code == ErrorCode::kNotFound) return std::nullopt;
  if (!text) return Fail(text.error());
  const auto size = ChunkHeaderSize(*text);
  if (!size || *size > text->size()) return std::nullopt;
  auto header = ReadChunkHeader(std::string_view(*text).substr(0, *size));
  if (!header || *size + header->BodyBytes() > text->size()) return std::nullopt;
  text->resize(*size + header->BodyBytes());
  return OpenChunk{*std::move(header), *std::move(text)};
}

bool IsNewer(const ChunkHeader& a, const ChunkHeader& b) {
  return std::tuple(a.about.at, a.sequence, a.stretch.passes + a.others) >
         std::tuple(b.about.at, b.sequence, b.stretch.passes + b.others);
}

}  // namespace

Result<std::vector<std::string>> SegmentsIn(const std::string& folder) {
  const auto numbers = NumbersIn(folder);
  if (!numbers) return Fail(numbers.error());
  std::vector<std::string> paths;
  for (const std::uint64_t number : *numbers) paths.push_back(SegmentPath(folder, number));
  return paths;
}

Result<std::string> OpenChunkIn(const std::string& folder) {
  std::optional<OpenChunk> newest;
  for (const unsigned which : {0U, 1U}) {
    auto read = ReadOpen(OpenPath(folder, which));
    if (!read) return Fail(read.error());
    std::optional<OpenChunk>& chunk = *read;
    if (chunk && (!newest || IsNewer(chunk->header, newest->header))) newest = std::move(chunk);
  }
  return newest ? std::move(newest->bytes) : std::string();
}

RecordingFolder::RecordingFolder(std::string folder, const RecordingConfig& config, Sync sync)
    : folder_(std::move(folder)),
      sync_(sync),
      max_bytes_(static_cast<std::uint64_t>(config.max_bytes)),
      max_age_(config.max_age),
      segment_bytes_(std::clamp(max_bytes_ / kSegments, kLeastSegment, kMostSegment)) {}

std::string RecordingFolder::PathOf(std::uint64_t number) const {
  return SegmentPath(folder_, number);
}

Result<void> RecordingFolder::FindSegments() {
  const auto numbers = NumbersIn(folder_);
  if (!numbers) return Fail(numbers.error());
  segments_.clear();
  bytes_ = 0;
  for (const std::uint64_t number : *numbers) {
    const std::string path = PathOf(number);
    struct stat status {};
    if (::stat(path.c_str(), &status) != 0) {
      if (errno == ENOENT) continue;
      return FailErrno("look at " + path);
    }
    if (status.st_size == 0) {
      (void)::unlink(path.c_str());
      continue;
    }
    // A larger difference is a reservation, because file systems need less than that for
    // themselves.
    if (status.st_blocks * kBytesOfBlock > status.st_size + kOpenBytes) {
      (void)::truncate(path.c_str(), status.st_size);
    }
    Segment& segment = segments_.emplace_back();
    segment.number = number;
    segment.bytes = static_cast<std::uint64_t>(status.st_size);
    segment.ended = Instant(std::chrono::seconds(status.st_mtim.tv_sec));
    bytes_ += segment.bytes;
  }
  return {};
}

Result<void> RecordingFolder::Open() {
  if (auto taken = TakeUp(); !taken) return taken;
  if (auto reserved = ReserveOpen(); !reserved) return reserved;
  return file_ ? Result<void>() : BeginSegment();
}

// Learns what an agent before has left. Without that a number could be given again, and the chunk
// that was left open would be overwritten.
Result<void> RecordingFolder::TakeUp() {
  if (is_taken_up_) return {};
  file_.Close();
  if (auto made = kernel::MakeFolders(folder_, kFolderMode); !made) return made;
  if (auto found = FindSegments(); !found) return found;
  const auto left = OpenChunkIn(folder_);
  if (!left) return Fail(left.error());
  GoOn();
  if (!left->empty()) {
    const auto header = ReadChunkHeader(std::string_view(*left).substr(0, *ChunkHeaderSize(*left)));
    if (auto kept = WriteToSegment(*left, header->stretch.last); !kept) return kept;
    ForgetOpen();
  }
  is_taken_up_ = true;
  return {};
}

Result<void> RecordingFolder::ReserveOpen() const {
  for (unsigned which : {0U, 1U}) {
    const FileDescriptor file = OpenFile(OpenPath(folder_, which), O_WRONLY | O_CREAT);
    if (!file) return FailErrno("open " + OpenPath(folder_, which));
    if (const int error = Reserve(file.get(), kOpenBytes)) return Fail(NotReserved(error));
  }
  return {};
}

void RecordingFolder::GoOn() {
  if (segments_.empty() || segments_.back().bytes >= segment_bytes_) return;
  FileDescriptor file = OpenFile(PathOf(segments_.back().number), O_RDWR);
  if (!file || !EndsWithAChunk(file.get(), segments_.back().bytes)) return;
  // If there is no space now, it is allocated when something is written.
  (void)Reserve(file.get(), segment_bytes_);
  file_ = std::move(file);
  ReserveNext();
}

// The reserved file becomes the new segment, so that no space is needed on a disk that is full now.
Result<void> RecordingFolder::BeginSegment() {
  const std::uint64_t number = segments_.empty() ? 1 : segments_.back().number + 1;
  const std::string path = PathOf(number);
  if (::rename((folder_ + "/next").c_str(), path.c_str()) != 0 && errno != ENOENT) {
    return FailErrno("rename " + folder_ + "/next");
  }
  FileDescriptor file = OpenFile(path, O_WRONLY | O_CREAT);
  if (!file) return FailErrno("open " + path);
  // On a full disk, old passes make room for new ones; but if others take what becomes free, the
  // old ones are all there is.
  std::uint64_t freed = 0;
  while (const int error = Reserve(file.get(), segment_bytes_)) {
    const bool is_full = error == ENOSPC || error == EDQUOT;
    if (!is_full || segments_.empty() || freed >= segment_bytes_) return Fail(NotReserved(error));
    freed += segments_.front().bytes;
    ForgetOldest();
  }
  file_ = std::move(file);
  const Instant ended = segments_.empty() ? Instant() : segments_.back().ended;
  segments_.push_back({.number = number, .ended = ended});  // nothing is in it yet
  ReserveNext();
  return {};
}

// If the space is not available now, it is requested again when it is needed.
void RecordingFolder::ReserveNext() const {
  const FileDescriptor next = OpenFile(folder_ + "/next", O_WRONLY | O_CREAT | O_TRUNC);
  if (next) (void)Reserve(next.get(), segment_bytes_);
}

// Frees the reserved space that is not needed.
void RecordingFolder::CloseSegment() {
  (void)::ftruncate(file_.get(), static_cast<off_t>(segments_.back().bytes));
  file_.Close();
}

Result<void> RecordingFolder::Append(std::string_view chunk, Instant now) {
  if (auto taken = TakeUp(); !taken) return taken;
  DateFound(now);
  auto written = WriteToSegment(chunk, now);
  if (written) ForgetOpen();
  ForgetOld(now);
  return written;
}

Result<void> RecordingFolder::WriteToSegment(std::string_view chunk, Instant now) {
  const bool is_full =
      file_ && segments_.back().bytes > 0 && segments_.back().bytes + chunk.size() > segment_bytes_;
  if (is_full) CloseSegment();
  if (!file_) {
    if (auto begun = BeginSegment(); !begun) return begun;
  }
  Segment& segment = segments_.back();
  auto written = WriteAll(file_.get(), chunk, segment.bytes).and_then([&] {
    return Force(file_.get(), sync_);
  });
  if (!written) {
    // A partly written chunk is cut off; a reader would skip it, too. One of which it is not known
    // whether it is on the disk does not count either, so that its saved copy stays.
    CloseSegment();
    return written;
  }
  segment.bytes += chunk.size();
  segment.ended = now;
  bytes_ += chunk.size();
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
  // The reserved segment and the present one count in full.
  const auto too_much = [&] { return bytes_ + 2 * segment_bytes_ > max_bytes_; };
  const auto too_old = [&] { return Elapsed(segments_.front().ended, now) > max_age_; };
  while (segments_.size() > 1 && (too_much() || too_old())) ForgetOldest();
}

void RecordingFolder::ForgetOldest() {
  (void)::unlink(PathOf(segments_.front().number).c_str());
  bytes_ -= segments_.front().bytes;
  segments_.erase(segments_.begin());
}

Result<void> RecordingFolder::SaveOpen(std::string_view chunk) {
  if (auto taken = TakeUp(); !taken) return taken;
  const std::string path = OpenPath(folder_, next_open_);
  const FileDescriptor file = OpenFile(path, O_WRONLY | O_CREAT);
  if (!file) return FailErrno("open " + path);
  if (auto written = WriteAll(file.get(), chunk, 0); !written) return written;
  if (auto forced = Force(file.get(), sync_); !forced) return forced;  // the other copy stays
  next_open_ = 1 - next_open_;
  return {};
}

// Invalidates the open chunk, which is in a segment by now. One byte suffices; the space stays
// reserved.
void RecordingFolder::ForgetOpen() {
  for (unsigned which : {0U, 1U}) {
    const FileDescriptor file = OpenFile(OpenPath(folder_, which), O_WRONLY);
    if (file) (void)WriteAll(file.get(), std::string_view("\0", 1), 0);
  }
}

}  // namespace jettison
