#include "kernel/groups/group_files.h"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <memory>
#include <utility>
#include <vector>

#include "kernel/files/files.h"
#include "ports/file_descriptor.h"
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

constexpr mode_t kGroupMode = 0755;

bool IsFile(int parent, const std::string& name) {
  struct stat facts {};
  return ::fstatat(parent, name.c_str(), &facts, AT_SYMLINK_NOFOLLOW) == 0 &&
         S_ISREG(facts.st_mode);
}

Result<FileDescriptor> MakeOne(int parent, const std::string& name) {
  if (::mkdirat(parent, name.c_str(), kGroupMode) != 0 && errno != EEXIST) {
    return FailErrno("mkdir " + name);
  }
  auto group = OpenGroup(parent, name);
  if (!group && IsFile(parent, name)) {
    return Fail(ErrorCode::kInvalidArgument,
                fmt::format("no group can be named {:?}, because each group has a file of that "
                            "name: give the container another name",
                            name));
  }
  return group;
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

Result<std::string> ReadFile(int group, const char* file) {
  const auto fd = OpenFile(group, file);
  if (!fd) return Fail(fd.error());
  auto text = ReadToEnd(fd->get());
  if (!text) return Fail(text.error().In(file));
  return text;
}

Result<std::string> ReadFileOf(int root, std::string_view path, const char* file) {
  const auto group = OpenGroup(root, path);
  if (!group) return Fail(group.error());
  return ReadFile(group->get(), file);
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

Result<void> VisitGroups(int top, const GroupVisit& visit) {
  struct Level {
    FileDescriptor fd;  // empty: closed to save descriptors, or the top's
    std::string name;
    std::vector<std::string> pending;
  };
  std::vector<Level> way;  // down to the group that is being visited
  const auto present = [&] { return way.size() == 1 ? top : way.back().fd.get(); };
  const auto enter = [&](FileDescriptor group, std::string name) -> Result<void> {
    way.push_back({.fd = std::move(group), .name = std::move(name), .pending = {}});
    if (way.size() > kOpenGroups) way[way.size() - kOpenGroups].fd.Close();
    if (auto ok = visit.enter ? visit.enter(present()) : Result<void>(); !ok) return ok;
    auto below = Subgroups(present());
    if (!below && below.error().code != ErrorCode::kNotFound) return Fail(below.error());
    if (below) way.back().pending = std::move(*below);
    return {};
  };
  auto ok = enter({}, "");
  while (ok) {
    if (auto& pending = way.back().pending; !pending.empty()) {
      std::string name = std::move(pending.back());
      pending.pop_back();
      auto group = OpenGroup(present(), name);
      if (!group && group.error().code == ErrorCode::kNotFound) continue;
      ok = group ? enter(std::move(*group), std::move(name)) : Fail(group.error());
      continue;
    }
    const Level left = std::move(way.back());
    way.pop_back();
    if (way.empty()) return {};
    if (way.size() > 1 && !way.back().fd) {
      auto above = OpenGroup(left.fd.get(), "..");
      if (!above && above.error().code != ErrorCode::kNotFound) return Fail(above.error());
      if (above) way.back().fd = std::move(*above);
    }
    if (way.size() == 1 || way.back().fd) {
      if (visit.leave) ok = visit.leave(present(), left.name, left.fd.get());
      continue;
    }
    // It has vanished, with everything below it. The visit goes on above.
    while (way.size() > 1 && !way.back().fd) way.pop_back();
  }
  return ok;
}

Result<void> MakeGroups(int root, std::string_view path,
                        const std::function<Result<void>(int above)>& before) {
  FileDescriptor parent;
  while (!path.empty()) {
    const auto slash = path.find('/');
    const int above = parent ? parent.get() : root;
    if (auto ok = before ? before(above) : Result<void>(); !ok) return ok;
    auto group = MakeOne(above, std::string(path.substr(0, slash)));
    if (!group) return Fail(group.error());
    parent = std::move(*group);
    path.remove_prefix(slash == std::string_view::npos ? path.size() : slash + 1);
  }
  return {};
}

}  // namespace jettison::kernel
