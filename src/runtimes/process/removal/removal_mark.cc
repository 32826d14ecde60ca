#include "runtimes/process/removal/removal_mark.h"

#include <unistd.h>

#include <cstdio>

namespace jettison::process {

std::string RemovalMark(const kernel::Paths& paths, std::string_view uid) {
  return paths.PodFile(uid) + ".gone";
}

std::string DamagedPodFile(const kernel::Paths& paths, std::string_view uid) {
  return paths.PodFile(uid) + ".damaged";
}

// A mark that cannot be looked up does not count: a folder with it is deleted.
bool IsMarkedAsRemoved(const kernel::Paths& paths, std::string_view uid) {
  return ::access(RemovalMark(paths, uid).c_str(), F_OK) == 0;
}

// On a full disk the new name may find no room. Then the file is deleted: if the removal is
// interrupted after that, the next agent leaves the folder as it is.
void MarkAsRemoved(const kernel::Paths& paths, std::string_view uid) {
  const std::string file = paths.PodFile(uid);
  if (std::rename(file.c_str(), RemovalMark(paths, uid).c_str()) != 0) (void)::unlink(file.c_str());
  (void)::unlink(DamagedPodFile(paths, uid).c_str());
}

}  // namespace jettison::process
