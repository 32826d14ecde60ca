#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "core/units/result.h"
#include "ports/cgroups.h"
#include "ports/file_descriptor.h"

namespace jettison::kernel {

// Tells when groups are made directly below others, whoever makes them. (inotify(7): that they
// vanish the kernel does not tell, and what comes too fast may be told as one.)
class GroupArrivals {
 public:
  // `groups` must outlive it.
  explicit GroupArrivals(Cgroups& groups) : groups_(groups) {}

  // Watches below this group from now on; one that is watched already stays so. Fails where the
  // group is not there, or the kernel has nothing to spare.
  [[nodiscard]] Result<void> Watch(const std::string& group);
  void Forget(const std::string& group);

  // Readable when Take has something; -1 before anything was watched.
  [[nodiscard]] int fd() const { return inotify_.get(); }
  struct News {
    std::vector<std::string> groups;  // below which others were made since, each once
    bool lost = false;                // there was too much to tell: any may have new ones
  };
  [[nodiscard]] News Take();

 private:
  Cgroups& groups_;
  FileDescriptor inotify_;
  std::map<std::string, int> watches_;
  std::map<int, std::string> by_watch_;
};

}  // namespace jettison::kernel
