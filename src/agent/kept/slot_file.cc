#include "agent/kept/slot_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdio>

#include "agent/kept/number_file.h"
#include "agent/kept/stable_hash.h"
#include "agent/kept/write_at.h"
#include "ports/file_descriptor.h"
#include "ports/system_error.h"

namespace jettison {
namespace {

constexpr std::string_view kSlotTitle = "jettison slot 1 ";
constexpr mode_t kSlotMode = 0600;

struct Slot {
  std::uint64_t sequence = 0;
  std::string_view text;
};

std::string HashOf(std::uint64_t sequence, std::string_view text) {
  return StableHash(fmt::format("{} {}", sequence, text));
}

// A number up to the next blank.
std::optional<std::uint64_t> TakeNumber(std::string_view& line) {
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(line.data(), line.data() + line.size(), number);
  if (error != std::errc() || end == line.data() + line.size() || *end != ' ') return std::nullopt;
  line.remove_prefix(static_cast<std::size_t>(end - line.data()) + 1);
  return number;
}

std::optional<Slot> SlotIn(std::string_view bytes) {
  const std::size_t end = bytes.substr(0, SlotFile::kHeadBytes).find('\n');
  if (!bytes.starts_with(kSlotTitle) || end == std::string_view::npos) return std::nullopt;
  std::string_view head = bytes.substr(kSlotTitle.size(), end - kSlotTitle.size());
  const auto sequence = TakeNumber(head);
  const auto size = sequence ? TakeNumber(head) : std::nullopt;
  if (!size || *size > bytes.size() - end - 1) return std::nullopt;
  const Slot slot{.sequence = *sequence, .text = bytes.substr(end + 1, *size)};
  if (slot.sequence == 0 || slot.sequence > kLargestNumber ||
      head != HashOf(slot.sequence, slot.text))
    return std::nullopt;
  return slot;
}

// Fills the beginning of `bytes` with the file.
Result<void> ReadInto(std::string& bytes, int file, const std::string& path) {
  struct stat facts {};
  if (::fstat(file, &facts) != 0) return FailErrno("look at " + path);
  if (!S_ISREG(facts.st_mode)) return Fail(ErrorCode::kInvalidArgument, "it is not a regular file");
  std::size_t size = 0;
  while (size < bytes.size()) {
    const ssize_t n =
        ::pread(file, bytes.data() + size, bytes.size() - size, static_cast<off_t>(size));
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return FailErrno("read " + path);
    if (n == 0) break;
    size += static_cast<std::size_t>(n);
  }
  return {};
}

std::optional<Slot> LastSlotIn(std::string_view bytes) {
  std::optional<Slot> last;
  for (const std::size_t at : {std::size_t{0}, SlotFile::kSlotBytes}) {
    const auto slot = SlotIn(bytes.substr(at, SlotFile::kSlotBytes));
    if (slot && (!last || slot->sequence > last->sequence)) last = slot;
  }
  return last;
}

}  // namespace

Result<std::optional<std::string>> SlotFile::Read() {
  const FileDescriptor file(::open(path_.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
  if (!file && errno != ENOENT) return FailErrno("open " + path_);
  std::string bytes(2 * kSlotBytes, '\n');
  if (file) {
    if (auto read = ReadInto(bytes, file.get(), path_); !read) return Fail(std::move(read.error()));
  }
  const std::optional<Slot> last = LastSlotIn(bytes);
  sequence_ = last ? last->sequence : 0;
  if (last) return std::string(last->text);
  // Blank lines alone: the file was made and never written. A file whose first write was
  // interrupted counts the same.
  const bool second_blank = std::ranges::all_of(std::string_view(bytes).substr(kSlotBytes),
                                                [](char c) { return c == '\n'; });
  const bool first_blank = std::ranges::all_of(std::string_view(bytes).substr(0, kSlotBytes),
                                               [](char c) { return c == '\n'; });
  if (second_blank && (first_blank || bytes.starts_with(kSlotTitle))) return std::nullopt;
  return Fail(ErrorCode::kInvalidArgument, "both its slots are damaged");
}

Result<std::string> SlotFile::PutAside(std::string_view ending) {
  std::string aside = path_ + std::string(ending);
  if (::rename(path_.c_str(), aside.c_str()) != 0) return FailErrno("rename " + path_);
  sequence_ = 0;
  return aside;
}

Result<void> SlotFile::Reserve() {
  const FileDescriptor file(
      ::open(path_.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, kSlotMode));
  if (!file) return FailErrno("create " + path_);
  struct stat facts {};
  if (::fstat(file.get(), &facts) != 0) return FailErrno("look at " + path_);
  const auto there = static_cast<std::size_t>(facts.st_size);
  if (there >= 2 * kSlotBytes) return {};
  if (auto filled = WriteAt(file.get(), std::string(2 * kSlotBytes - there, '\n'), there);
      !filled) {
    return Fail(filled.error().In(path_));
  }
  // Only allocated blocks are reserved; some file systems allocate late.
  if (::fdatasync(file.get()) != 0) return FailErrno("write " + path_);
  return {};
}

// The sequence number determines the slot, so a write never goes to the slot that was read.
Result<void> SlotFile::Write(std::string_view text) {
  if (text.size() > kMostBytes) return Fail(ErrorCode::kInvalidArgument, "it is too long");
  if (!sequence_) {
    const auto there = Read();
    const bool is_damaged = !there && there.error().code == ErrorCode::kInvalidArgument;
    if (!there && !is_damaged) return Fail(there.error());
  }
  const FileDescriptor file(
      ::open(path_.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, kSlotMode));
  if (!file) return FailErrno("open " + path_);
  const std::uint64_t sequence = sequence_.value_or(0) + 1;
  const std::string whole = fmt::format("{}{} {} {}\n{}", kSlotTitle, sequence, text.size(),
                                        HashOf(sequence, text), text);
  const auto written = WriteAt(file.get(), whole, sequence % 2 == 1 ? 0 : kSlotBytes);
  if (!written) return Fail(written.error().In(path_));
  sequence_ = sequence;
  return {};
}

}  // namespace jettison
