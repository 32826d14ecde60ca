#include "runtimes/cri/host/sub_path.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/openat2.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>

#include "kernel/files/files.h"
#include "kernel/mounts/mount_info.h"
#include "ports/file_descriptor.h"
#include "ports/system_error.h"

namespace jettison::cri {
namespace {

FileDescriptor OpenBeneath(const FileDescriptor& root, const std::string& path) {
  open_how how{};
  how.flags = O_PATH | O_CLOEXEC;
  how.resolve = RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS;
  return FileDescriptor(
      static_cast<int>(::syscall(SYS_openat2, root.get(), path.c_str(), &how, sizeof(how))));
}

// Makes a folder that everybody may use who may use the volume, as the kubelet does. The umask
// limits mkdir's mode, but not this one. A folder that is there already is kept as it is.
bool MakeFolder(const FileDescriptor& parent, const char* name, mode_t mode) {
  if (::mkdirat(parent.get(), name, mode) != 0) return errno == EEXIST;
  const FileDescriptor made(
      ::openat(parent.get(), name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  return made && ::fchmod(made.get(), mode) == 0;
}

// Opens the path, making the folders that are missing on the way.
FileDescriptor OpenOrMake(const FileDescriptor& root, const std::string& path) {
  struct stat volume {};
  if (::fstat(root.get(), &volume) != 0) return {};
  for (std::size_t end = 0; end != std::string::npos;) {
    end = path.find('/', end + 1);
    const std::string part = path.substr(0, end);
    FileDescriptor there = OpenBeneath(root, part);
    if (!there && errno == ENOENT) {
      const std::size_t slash = part.rfind('/');
      const FileDescriptor parent =
          OpenBeneath(root, slash == std::string::npos ? "." : part.substr(0, slash));
      const std::string name = slash == std::string::npos ? part : part.substr(slash + 1);
      if (parent && MakeFolder(parent, name.c_str(), volume.st_mode & 07777U)) {
        there = OpenBeneath(root, part);
      }
    }
    if (!there || end == std::string::npos) return there;
  }
  return {};
}

bool IsLink(const std::string& path) {
  struct stat facts {};
  return ::lstat(path.c_str(), &facts) == 0 && S_ISLNK(facts.st_mode);
}

// Makes the mount point: a folder for a folder, a file for a file.
Result<void> MakePlace(const std::string& place, bool is_folder) {
  // Mounts of an earlier run of the container.
  while (kernel::DetachPrivately(AT_FDCWD, place.c_str()) == 0) {
  }
  if (::unlink(place.c_str()) != 0) (void)::rmdir(place.c_str());
  if (is_folder) return kernel::MakeFolders(place);
  if (auto made = kernel::MakeFolders(place.substr(0, place.rfind('/'))); !made) return made;
  return kernel::WriteFile(place, "");
}

}  // namespace

Result<std::string> BindSubPath(const SubPath& sub_path, const std::string& place,
                                const std::atomic<bool>& wanted) {
  const auto& [source, path, kept_by_operator] = sub_path;
  const FileDescriptor root(::open(source.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  if (!root) return FailErrno("open " + source);
  const bool may_make = !kept_by_operator || !IsLink(source);
  const FileDescriptor content = may_make ? OpenOrMake(root, path) : OpenBeneath(root, path);
  if (!content) return FailErrno(fmt::format("open {} within {}", path, source));
  struct stat facts {};
  if (::fstat(content.get(), &facts) != 0) return FailErrno("stat");
  // Nothing after this point may hang.
  if (!wanted) return Fail(ErrorCode::kUnavailable, "nobody waits for it any more");
  if (auto made = MakePlace(place, S_ISDIR(facts.st_mode)); !made) return Fail(made.error());
  auto bound = kernel::BindPrivately(content, place);
  if (!bound) return Fail(bound.error().In(fmt::format("{} of {}", path, source)));
  return place;
}

}  // namespace jettison::cri
