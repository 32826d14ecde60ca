#pragma once

#include <string>

#include "core/units/result.h"
#include "kernel/files/paths.h"
#include "ports/file_descriptor.h"

namespace jettison::kernel {

// Takes the lock of a runtime's root, made where it is missing, for as long as the descriptor is
// open: two agents on one root would each take the other's pods for their own. On a read-only file
// system, one that is there is locked. kUnavailable where another agent has it.
[[nodiscard]] Result<FileDescriptor> LockRoot(const std::string& path);

// Makes the folders of a runtime's root. Nobody but their owner and its group may enter the folder
// of the pods, as with the kubelet (mode 0750): everybody may write to the volumes in it. The mode
// of one that is there already is corrected.
[[nodiscard]] Result<void> MakeRootFolders(const Paths& paths);

// Makes these folders and takes the lock of the root (root_lock.h). On a disk that is read-only,
// full or broken, the runtime does without what cannot be made: the descriptor is empty then. Fails
// with kUnavailable where another runtime holds the lock.
[[nodiscard]] Result<FileDescriptor> OpenRootFolders(const Paths& paths);

}  // namespace jettison::kernel
