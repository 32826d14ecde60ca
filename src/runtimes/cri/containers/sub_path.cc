#include "runtimes/cri/containers/sub_path.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "kernel/files/files.h"
#include "kernel/mounts/mount_info.h"
#include "kernel/mounts/sub_path.h"
#include "ports/file_descriptor.h"
#include "ports/system_error.h"

namespace jettison::cri {
namespace {

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

Result<void> BindSubPath(const SubPath& sub_path, const std::string& place,
                         const std::atomic<bool>& wanted) {
  const auto& [source, path, kept_by_operator] = sub_path;
  const FileDescriptor root(::open(source.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  if (!root) return FailErrno("open " + source);
  const FileDescriptor content(
      kernel::OpenSubPath(root.get(), source.c_str(), path.c_str(), kept_by_operator));
  if (!content) return FailErrno(fmt::format("open {} within {}", path, source));
  struct stat facts {};
  if (::fstat(content.get(), &facts) != 0) return FailErrno("stat");
  // Nothing after this point may hang.
  if (!wanted) return Fail(ErrorCode::kUnavailable, "nobody waits for it any more");
  if (auto made = MakePlace(place, S_ISDIR(facts.st_mode)); !made) return made;
  auto bound = kernel::BindPrivately(content, place);
  if (!bound) return Fail(bound.error().In(fmt::format("{} of {}", path, source)));
  return {};
}

}  // namespace jettison::cri
