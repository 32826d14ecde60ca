#include "runtimes/process/pod_removal.h"

#include <unistd.h>

#include <cstdio>

namespace jettison::process {

using kernel::Paths;

namespace {

std::string RemovalMark(const Paths& paths, std::string_view uid) {
  return paths.PodFile(uid) + ".gone";
}

}  // namespace

std::string DamagedPodFile(const Paths& paths, std::string_view uid) {
  return paths.PodFile(uid) + ".damaged";
}

// A mark that cannot be looked up does not count: a folder with it is deleted.
bool IsMarkedAsRemoved(const Paths& paths, std::string_view uid) {
  return ::access(RemovalMark(paths, uid).c_str(), F_OK) == 0;
}

// On a full disk the new name may find no room. Then the file is deleted: if the removal is
// interrupted after that, the next agent leaves the folder as it is.
void MarkAsRemoved(const Paths& paths, std::string_view uid) {
  const std::string file = paths.PodFile(uid);
  if (std::rename(file.c_str(), RemovalMark(paths, uid).c_str()) != 0) (void)::unlink(file.c_str());
  (void)::unlink(DamagedPodFile(paths, uid).c_str());
}

// When a later step has been done by the disk, this is done as well.
void PodRemoval::EndInRuntime(Done done) {
  context_.disk.Do([paths = context_.paths, uid = remains().uid]() -> Result<void> {
    MarkAsRemoved(paths, uid);
    return {};
  });
  done({});
}

}  // namespace jettison::process
