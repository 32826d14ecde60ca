#pragma once

#include <sys/stat.h>

#include <string>

namespace jettison::http {

// Of what stands under that name, a link itself; 0: nothing that could be looked at.
[[nodiscard]] inline ino_t InodeOf(const std::string& path) {
  struct stat status {};
  return ::lstat(path.c_str(), &status) == 0 ? status.st_ino : 0;
}

}  // namespace jettison::http
