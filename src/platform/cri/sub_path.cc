#include "platform/cri/sub_path.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/openat2.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>

#include "pod_host/files.h"
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

// Opens the path, making the folders that are missing on the way.
FileDescriptor OpenOrMake(const FileDescriptor& root, const std::string& path) {
  for (std::size_t end = 0; end != std::string::npos;) {
    end = path.find('/', end + 1);
    const std::string part = path.substr(0, end);
    FileDescriptor there = OpenBeneath(root, part);
    if (!there && errno == ENOENT) {
      const std::size_t slash = part.rfind('/');
      const FileDescriptor parent =
          OpenBeneath(root, slash == std::string::npos ? "." : part.substr(0, slash));
      const std::string name = slash == std::string::npos ? part : part.substr(slash + 1);
      if (parent && (::mkdirat(parent.get(), name.c_str(), 0755) == 0 || errno == EEXIST)) {
        there = OpenBeneath(root, part);
      }
    }
    if (!there || end == std::string::npos) return there;
  }
  return {};
}

// A folder for a folder, a file for a file.
Result<void> MakePlace(const std::string& place, const FileDescriptor& content) {
  struct stat facts {};
  if (::fstat(content.get(), &facts) != 0) return FailErrno("stat");
  // What another run of the container had there.
  while (::umount2(place.c_str(), MNT_DETACH | UMOUNT_NOFOLLOW) == 0) {
  }
  if (::unlink(place.c_str()) != 0) (void)::rmdir(place.c_str());
  if (S_ISDIR(facts.st_mode)) return pod_host::MakeFolders(place);
  if (auto made = pod_host::MakeFolders(place.substr(0, place.rfind('/'))); !made) return made;
  return pod_host::WriteFile(place, "");
}

}  // namespace

Result<std::string> BindSubPath(const std::string& source, const std::string& sub_path,
                                const std::string& place) {
  const FileDescriptor root(::open(source.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  if (!root) return FailErrno("open " + source);
  const FileDescriptor content = OpenOrMake(root, sub_path);
  if (!content) return FailErrno(fmt::format("open {} within {}", sub_path, source));
  if (auto made = MakePlace(place, content); !made) return Fail(made.error());
  const std::string handle = fmt::format("/proc/self/fd/{}", content.get());
  if (::mount(handle.c_str(), place.c_str(), nullptr, MS_BIND | MS_REC, nullptr) != 0) {
    return FailErrno(fmt::format("mount {} of {} at {}", sub_path, source, place));
  }
  return place;
}

}  // namespace jettison::cri
