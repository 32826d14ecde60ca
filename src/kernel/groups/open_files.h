#pragma once

#include <sys/types.h>

#include <array>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "core/text/number.h"
#include "core/text/text_index.h"
#include "core/units/result.h"
#include "kernel/groups/group_files.h"
#include "ports/file_descriptor.h"

// What the files of control groups are made of, in either version. Pure. A text that the kernel
// would not write is kInternal, never a zero.
namespace jettison::kernel {

[[nodiscard]] inline std::string_view WithoutNewline(std::string_view text) {
  if (text.ends_with('\n')) text.remove_suffix(1);
  return text;
}

// A file of one number, with or without its newline: pids.current, memory.current.
[[nodiscard]] Result<std::uint64_t> ParseCounter(std::string_view text);

// pids.max, memory.max: a number, or "max", which is absent.
[[nodiscard]] Result<std::optional<std::uint64_t>> ParseMax(std::string_view text);

// A row that is looked for in a text of rows, each a key, a space and the rest.
struct Row {
  std::string_view key;
  std::optional<std::string_view> rest = std::nullopt;  // absent: there is no such row

  // The number of the row. Fails where the row is missing or holds anything else.
  [[nodiscard]] Result<std::uint64_t> Number() const;
  // The same of a row that need not be there; absent, too, where it holds no number.
  [[nodiscard]] std::optional<std::uint64_t> NumberIfAny() const;
};
// Finds the first row of each key, all in one pass that ends as soon as there is nothing more to
// find.
void FindRows(std::string_view text, std::span<Row> rows);

// The number of the row that begins with `key` and a space. Fails where the row is missing or holds
// anything else.
[[nodiscard]] Result<std::uint64_t> RowNumber(std::string_view text, std::string_view key);

// cgroup.procs: one process id a line. A 0, which stands for a process outside of the reader's PID
// namespace, is left out: as an argument of kill(2) it would mean the caller's own process group.
[[nodiscard]] Result<std::vector<pid_t>> ParseProcs(std::string_view text);

// "expected WHAT, found TEXT", with the beginning of the text.
[[nodiscard]] tl::unexpected<Error> FailText(std::string_view what, std::string_view text);

// How many groups may have their files kept open, so that all of it takes no more than half of the
// descriptors that this process may have.
[[nodiscard]] std::size_t GroupsToKeep();

// What `parse` makes of the text of a file that stays open, in one read and without allocating.
// `name`: for errors. Fails where the text does not fit into so many bytes.
template <std::size_t kBytes, typename T>
[[nodiscard]] Result<T> ParseKept(const FileDescriptor& file, const char* name,
                                  Result<T> (*parse)(std::string_view)) {
  std::array<char, kBytes>
      buffer;  // NOLINT(cppcoreguidelines-pro-type-member-init): pread fills it
  const auto text = ReadKept(file.get(), buffer);
  if (!text) return Fail(text.error().In(name));
  auto value = parse(*text);
  if (!value) return Fail(value.error().In(name));
  return value;
}

// Reads the same files of control groups again and again. A group's files are opened together and
// stay open between readings, so that one in the steady state opens nothing and allocates nothing.
// A group that was removed and made again under the same name is never mistaken: a removed group's
// file answers ENODEV forever, and the group is opened anew. Safe from any thread.
class OpenFiles {
 public:
  static constexpr std::size_t kMostFiles = 3;

  // `root`: the directory that groups are named from; must outlive this. `names`: the files of one
  // reading, kMostFiles at most. At most `keep` groups are kept, any more are opened for each
  // reading. The last `optional` of the files need not be there: their descriptors are invalid.
  OpenFiles(int root, std::vector<const char*> names, std::size_t keep, std::size_t optional = 0)
      : root_(root), names_(std::move(names)), keep_(keep), needed_(names_.size() - optional) {
    assert(names_.size() <= kMostFiles);
  }

  // What `read` makes of the open files of a group, in the order of their names. kNotFound where
  // there is no such group, kUnavailable where it has no such file.
  template <typename T>
  [[nodiscard]] Result<T> Read(std::string_view group,
                               Result<T> (*read)(std::span<const FileDescriptor>)) {
    const std::lock_guard lock(mutex_);
    if (const auto kept = files_.find(group); kept != files_.end()) {
      auto reading = read(std::span(kept->second).first(names_.size()));
      if (reading || reading.error().code != ErrorCode::kNotFound) return reading;
      files_.erase(kept);  // that group is gone; there may be a new one of its name
    }
    auto files = Open(group);
    if (!files) return Fail(files.error());
    auto reading = read(std::span(*files).first(names_.size()));
    if (reading && files_.size() < keep_) {
      files_.emplace(group, std::move(*files));
    }
    return reading;
  }

  // The number in the one file of a group.
  [[nodiscard]] Result<std::uint64_t> ReadCounter(std::string_view group);
  // Closes what is kept of the group and of those below it.
  void Forget(std::string_view group);

 private:
  using Files = std::array<FileDescriptor, kMostFiles>;

  [[nodiscard]] Result<Files> Open(std::string_view group) const;

  const int root_;
  const std::vector<const char*> names_;
  const std::size_t keep_;
  const std::size_t needed_;
  mutable std::mutex mutex_;  // guards what follows
  TextIndex<Files> files_;
};

}  // namespace jettison::kernel
