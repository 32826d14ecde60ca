#include "agent/kept/reserved_drafts.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>

#include "agent/kept/write_at.h"
#include "kernel/files/files.h"
#include "ports/file_descriptor.h"
#include "ports/system_error.h"

namespace jettison {
namespace {

constexpr mode_t kDraftMode = 0600;

}  // namespace

std::string ReservedDrafts::PathOf(std::size_t draft) const {
  return fmt::format("{}/draft-{}", folder_, draft);
}

// What has been written stays: it is reserved space as well.
Result<void> ReservedDrafts::Fill(std::size_t draft) const {
  const std::string path = PathOf(draft);
  const FileDescriptor file(
      ::open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, kDraftMode));
  if (!file) return FailErrno("create " + path);
  struct stat facts {};
  if (::fstat(file.get(), &facts) != 0) return FailErrno("look at " + path);
  const std::size_t there = std::min(static_cast<std::size_t>(facts.st_size), bytes_);
  if (there == bytes_) return {};
  if (const auto filled = WriteAt(file.get(), std::string(bytes_ - there, '\n'), there); !filled) {
    return Fail(filled.error().In(path));
  }
  // Only allocated blocks are reserved; some file systems allocate late.
  if (::fdatasync(file.get()) != 0) return FailErrno("write " + path);
  return {};
}

Result<void> ReservedDrafts::Refill() const {
  constexpr unsigned kFolderMode = 0750;
  if (const auto made = kernel::MakeFolders(folder_, kFolderMode); !made) return made;
  for (std::size_t draft = 0; draft < count_; ++draft) {
    if (const auto filled = Fill(draft); !filled) return filled;
  }
  return {};
}

Result<void> ReservedDrafts::Put(const std::string& path, std::string_view text) const {
  const auto written = kernel::WriteFile(path, text);
  if (written) return {};
  for (std::size_t draft = 0; draft < count_; ++draft) {
    const std::string from = PathOf(draft);
    const FileDescriptor file(::open(from.c_str(), O_WRONLY | O_CLOEXEC | O_NOFOLLOW));
    if (!file) continue;
    const bool put = WriteAt(file.get(), text, 0).has_value() &&
                     ::ftruncate(file.get(), static_cast<off_t>(text.size())) == 0 &&
                     ::rename(from.c_str(), path.c_str()) == 0;
    if (put) return {};
  }
  return Fail(written.error());
}

}  // namespace jettison
