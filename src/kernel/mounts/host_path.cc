#include "kernel/mounts/host_path.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>

#include "kernel/files/files.h"
#include "ports/file_descriptor.h"
#include "ports/system_error.h"

namespace jettison::kernel {
namespace {

struct PathType {
  std::string_view name;
  mode_t kind;  // the S_IF... bits
  bool create;
  std::string_view article;
};
constexpr std::array<PathType, 7> kTypes = {{
    {"Directory", S_IFDIR, false, "a directory"},
    {"DirectoryOrCreate", S_IFDIR, true, "a directory"},
    {"File", S_IFREG, false, "a file"},
    {"FileOrCreate", S_IFREG, true, "a file"},
    {"Socket", S_IFSOCK, false, "a socket"},
    {"CharDevice", S_IFCHR, false, "a character device"},
    {"BlockDevice", S_IFBLK, false, "a block device"},
}};

Result<void> Create(const PathType& type, const std::string& path) {
  if (type.kind == S_IFDIR) return MakeFolders(path);
  const FileDescriptor fd(::open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0644));
  if (!fd) return FailErrno("create " + path);
  return {};
}

}  // namespace

Result<void> PrepareHostPath(const HostPathSource& source) {
  if (!source.path.starts_with('/')) {
    return Fail(ErrorCode::kInvalidArgument,
                fmt::format("hostPath \"{}\" must be absolute", source.path));
  }
  struct stat facts {};
  if (source.type.empty()) {
    (void)::stat(source.path.c_str(), &facts);  // an absent path only matters to the mount
    return {};
  }
  const auto type = std::find_if(kTypes.begin(), kTypes.end(),
                                 [&](const PathType& t) { return t.name == source.type; });
  if (type == kTypes.end()) {
    return Fail(
        ErrorCode::kInvalidArgument,
        fmt::format("hostPath type \"{}\" is not one of Directory, DirectoryOrCreate, File, "
                    "FileOrCreate, Socket, CharDevice, BlockDevice",
                    source.type));
  }
  if (::stat(source.path.c_str(), &facts) != 0) {
    if (errno == ENOENT && type->create) return Create(*type, source.path);
    return FailErrno(fmt::format("hostPath {} ({})", source.path, source.type));
  }
  if ((facts.st_mode & S_IFMT) == type->kind) return {};
  return Fail(ErrorCode::kInvalidArgument,
              fmt::format("hostPath {} is not {}", source.path, type->article));
}

}  // namespace jettison::kernel
