#include "kernel/files/files.h"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <memory>
#include <system_error>

#include "ports/file_descriptor.h"
#include "ports/system_error.h"

namespace jettison::kernel {
namespace {

Result<void> WriteAll(int fd, std::string_view text) {
  while (!text.empty()) {
    const ssize_t n = ::write(fd, text.data(), text.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return FailErrno("write");
    text.remove_prefix(static_cast<std::size_t>(n));
  }
  return {};
}

// The reason alone.
tl::unexpected<Error> FailReason() {
  return Fail(ErrorCodeOf(errno), std::generic_category().message(errno));
}

std::string SizeText(std::size_t bytes) {
  constexpr std::size_t kMebi = std::size_t{1} << 20;
  return bytes % kMebi == 0 ? fmt::format("{} MiB", bytes / kMebi)
                            : fmt::format("{} KiB", bytes >> 10U);
}

}  // namespace

Result<std::string> ReadFile(const std::string& path) {
  const FileDescriptor fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
  if (!fd) return FailErrno("open " + path);
  auto text = ReadToEnd(fd.get());
  if (!text) return Fail(text.error().In("read " + path));
  return text;
}

Result<std::string> ReadInput(const std::string& path, std::size_t most) {
  const FileDescriptor fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!fd) return FailReason();
  return ReadToEnd(fd.get(), most);
}

Result<std::string> ReadToEnd(int fd, std::size_t most) {
  std::string text;
  std::array<char, std::size_t{64} << 10> block;
  for (;;) {
    const ssize_t n = ::read(fd, block.data(), block.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return FailReason();
    if (n == 0) return text;
    if (text.size() + static_cast<std::size_t>(n) > most) {
      return Fail(ErrorCode::kInvalidArgument, "there is more of it than " + SizeText(most));
    }
    text.append(block.data(), static_cast<std::size_t>(n));
  }
}

Result<void> WriteFile(const std::string& path, std::string_view text) {
  const std::string draft = path + ".new";
  FileDescriptor fd(
      ::open(draft.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600));
  if (!fd) return FailErrno("create " + draft);
  if (auto written = WriteAll(fd.get(), text); !written) {
    ::unlink(draft.c_str());
    return Fail(written.error().In(draft));
  }
  fd.Close();
  if (::rename(draft.c_str(), path.c_str()) != 0) return FailErrno("rename to " + path);
  return {};
}

Result<void> RewriteFile(const std::string& path, std::string_view text, std::size_t at_least) {
  constexpr std::size_t kStep = 4096;
  constexpr std::size_t kSpare = 1024;  // how much a text may grow within its step
  const std::string draft = path + ".new";
  std::string padded(text);
  padded.resize(std::max((text.size() + kSpare + kStep - 1) / kStep * kStep, at_least), '\n');
  // Writes into the space that the draft occupies already.
  const auto write = [&](int flags) -> Result<void> {
    const FileDescriptor fd(
        ::open(draft.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW | flags, 0600));
    if (!fd) return FailErrno("create " + draft);
    if (auto written = WriteAll(fd.get(), padded); !written) return written;
    if (::ftruncate(fd.get(), static_cast<off_t>(padded.size())) != 0) {
      return FailErrno("cut " + draft);
    }
    return {};
  };
  if (auto written = write(0); !written) return Fail(written.error().In(draft));
  if (::renameat2(AT_FDCWD, draft.c_str(), AT_FDCWD, path.c_str(), RENAME_EXCHANGE) == 0) return {};
  if (::rename(draft.c_str(), path.c_str()) != 0) return FailErrno("rename to " + path);
  (void)write(O_EXCL);  // reserves space for the next text, which can also do without
  return {};
}

Result<void> MakeFolders(const std::string& path, unsigned mode) {
  if (::mkdir(path.c_str(), mode) == 0 || errno == EEXIST) return {};
  const std::size_t slash = path.rfind('/');
  if (errno != ENOENT || slash == std::string::npos || slash == 0) {
    return FailErrno("make folder " + path);
  }
  if (auto parent = MakeFolders(path.substr(0, slash), 0755); !parent) return parent;
  if (::mkdir(path.c_str(), mode) == 0 || errno == EEXIST) return {};
  return FailErrno("make folder " + path);
}

Result<std::vector<std::string>> NamesIn(const std::string& folder) {
  const std::unique_ptr<DIR, int (*)(DIR*)> entries(::opendir(folder.c_str()), ::closedir);
  if (!entries) {
    if (errno == ENOENT) return std::vector<std::string>{};
    return FailErrno("open folder " + folder);
  }
  std::vector<std::string> names;
  for (;;) {
    errno = 0;  // nothing else tells the end from a failure
    const dirent* entry = ::readdir(entries.get());
    if (entry == nullptr && errno != 0) return FailErrno("read folder " + folder);
    if (entry == nullptr) break;
    const std::string_view name = entry->d_name;
    if (name != "." && name != "..") names.emplace_back(name);
  }
  std::sort(names.begin(), names.end());
  return names;
}

bool Exists(const std::string& path) {
  return ::access(path.c_str(), F_OK) == 0 || (errno != ENOENT && errno != ENOTDIR);
}

}  // namespace jettison::kernel
