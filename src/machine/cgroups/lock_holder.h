#pragma once

#include <optional>
#include <string>

namespace jettison {

// A file, as /proc/locks names it.
struct LockedFile {
  unsigned major = 0;  // of its device
  unsigned minor = 0;
  unsigned long inode = 0;
};

struct LockHolder {
  int pid = 0;
  bool is_shared = false;  // with whoever wants to share it; an agent shares its lock with nobody
};

// Who holds a lock (flock) on a file, from the text of /proc/locks; absent where no such process is
// visible.
[[nodiscard]] std::optional<LockHolder> LockHolderIn(const std::string& locks,
                                                     const LockedFile& file);

// What is known of who holds the lock on what is open as `fd`.
struct KnownHolder {
  std::string description;   // for people: "process 4711 (command line)"
  bool may_be_agent = true;  // false: it is certainly none
};

// A folder can be locked by every user who may list it. An agent is a living process of root, or of
// the owner of what is locked, which has it open itself; what cannot be read of a process does not
// speak against that.
[[nodiscard]] KnownHolder DescribeLockHolder(int fd);

}  // namespace jettison
