#pragma once

#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "core/units/result.h"
#include "ports/file_descriptor.h"

namespace jettison {

// Where the agent keeps what the next agent has to know: in its root, or, while the disk of the
// root fails, in a folder that stands in for it until the machine restarts.
struct StatePlace {
  std::string folder;
  // Why it is not all in the root as it should be, and what to do; empty: it is.
  std::string problem = "";
  // The root itself cannot be written: nothing can be made in it, not even a lock.
  bool root_fails = false;
  // What could not be read when the folder was made stays where it is: it is not known, and must
  // not be replaced. Names below the root, and the root.
  std::vector<std::string> not_read = {};
  std::string root = "";
  FileDescriptor lock = {};  // of the folder that stands in

  // Where the file or folder of this name is kept.
  [[nodiscard]] const std::string& FolderOf(std::string_view name) const;
};

// Whether a failed call on a file says that the disk is read-only, full or broken, and not that a
// path is wrong or closed to the agent.
[[nodiscard]] bool IsDiskFault(const std::error_code& error);

// The folder below `base` that stands in for a root: "/run/jettison/root-var-lib-jettison".
[[nodiscard]] std::string StandInFor(const std::string& root, const std::string& base);

// A folder that stands in, and what could not be taken into it.
struct StandIn {
  std::string folder;
  FileDescriptor lock;
  std::vector<std::string> not_read;  // names below the root
};

// Makes the folder, locks it, and takes a copy of the state below `root` into it, where the root
// has any and can be read; what an earlier agent left there is newer and stays. Empty `root`:
// nothing is taken. kUnavailable where another agent has the lock, or the one of the root: that
// agent writes its state into the root as soon as it can, and the copy would replace it later. An
// agent beside a kubelet takes no lock of the root; the one on the group of all pods, which is
// taken before, keeps others away.
[[nodiscard]] Result<StandIn> OpenStandIn(const std::string& folder, const std::string& root);

// Takes the state in the folder back into `root` and removes the folder. False: there is none.
// What is interrupted is done again by the next agent. kUnavailable where an agent has the lock.
[[nodiscard]] Result<bool> TakeBack(const std::string& folder, const std::string& root);

}  // namespace jettison
