#include "kernel/groups/group_files.h"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <memory>

#include "ports/system_error.h"

namespace jettison::kernel {
namespace {

constexpr int kDirectory = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;

bool IsName(std::string_view name) {
  return !name.empty() && name != "." && name != ".." &&
         name.find('\0') == std::string_view::npos && name.find('\n') == std::string_view::npos;
}

// A group without groups below has only two links ("." and its own name), also on cgroupfs. This
// avoids listing its several dozen files.
bool IsLeaf(int group) {
  struct stat status {};
  constexpr nlink_t kLeafLinks = 2;
  return ::fstat(group, &status) == 0 && status.st_nlink == kLeafLinks;
}

}  // namespace

Result<void> CheckPath(std::string_view path) {
  std::string_view rest = path;
  while (!path.empty()) {
    const auto slash = rest.find('/');
    if (!IsName(rest.substr(0, slash))) {
      return Fail(ErrorCode::kInvalidArgument,
                  fmt::format("{:?} is no path of a control group: give names joined by single "
                              "slashes, without one at either end",
                              std::string(path)));
    }
    if (slash == std::string_view::npos) break;
    rest.remove_prefix(slash + 1);
  }
  return {};
}

Result<FileDescriptor> OpenGroup(int root, std::string_view path) {
  const std::string relative = path.empty() ? "." : std::string(path);
  FileDescriptor group(::openat(root, relative.c_str(), kDirectory));
  if (!group) return FailErrno(fmt::format("open group {:?}", std::string(path)));
  return group;
}

Result<FileDescriptor> OpenFile(int group, const char* file) {
  FileDescriptor fd(::openat(group, file, O_RDONLY | O_NOFOLLOW | O_CLOEXEC));
  if (!fd) return FailErrno(fmt::format("open {}", file));
  return fd;
}

Result<FileDescriptor> OpenFileToWrite(int group, const char* file) {
  FileDescriptor fd(::openat(group, file, O_WRONLY | O_NOFOLLOW | O_CLOEXEC));
  if (!fd) return FailErrno(fmt::format("open {}", file));
  return fd;
}

Result<std::string> ReadToEnd(int fd) {
  std::string text;
  std::array<char, 8192> buffer;  // NOLINT(cppcoreguidelines-pro-type-member-init): read fills it
  while (true) {
    const ssize_t count = ::read(fd, buffer.data(), buffer.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return FailErrno("read");
    if (count == 0) return text;
    text.append(buffer.data(), static_cast<std::size_t>(count));
  }
}

Result<std::string> ReadFile(int group, const char* file) {
  const auto fd = OpenFile(group, file);
  if (!fd) return Fail(fd.error());
  auto text = ReadToEnd(fd->get());
  if (!text) return Fail(text.error().In(file));
  return text;
}

Result<std::string_view> ReadKept(int fd, std::span<char> buffer) {
  while (true) {
    const ssize_t count = ::pread(fd, buffer.data(), buffer.size(), 0);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return FailErrno("read");
    const auto size = static_cast<std::size_t>(count);
    if (size == buffer.size()) {
      return Fail(ErrorCode::kInternal, fmt::format("text longer than {} bytes", size - 1));
    }
    return std::string_view(buffer.data(), size);
  }
}

Result<void> WriteFile(int group, const char* file, std::string_view text) {
  const auto fd = OpenFileToWrite(group, file);
  if (!fd) return Fail(fd.error());
  while (::write(fd->get(), text.data(), text.size()) < 0) {
    if (errno != EINTR) return FailErrno(fmt::format("write {} to {}", text, file));
  }
  return {};
}

Result<std::vector<std::string>> Subgroups(int group) {
  std::vector<std::string> names;
  if (IsLeaf(group)) return names;
  // A separate stream, so that the position of `group` itself does not change.
  FileDescriptor own(::openat(group, ".", kDirectory));
  if (!own) return FailErrno("open directory");
  const std::unique_ptr<DIR, int (*)(DIR*)> stream(::fdopendir(own.get()), &::closedir);
  if (!stream) return FailErrno("list directory");
  (void)own.Release();
  errno = 0;
  while (const dirent* entry = ::readdir(stream.get())) {
    if (entry->d_type == DT_DIR && IsName(entry->d_name)) names.emplace_back(entry->d_name);
  }
  if (errno != 0) return FailErrno("list directory");
  return names;
}

}  // namespace jettison::kernel
