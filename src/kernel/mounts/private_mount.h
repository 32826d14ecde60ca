#pragma once

#include <string>

#include "core/units/result.h"
#include "ports/file_descriptor.h"

namespace jettison::kernel {

// Most hosts share their mounts: a mount or a detachment in one mount also takes effect in all of
// its copies (mount_namespaces(7), shared subtrees). A copy is therefore made private before
// anything in it is detached; otherwise the host would lose what is mounted at the same place of
// the original.

// Mounts the file or folder that is open as `content` at `place`, without the mounts inside it.
// Later mounts and detachments there do not propagate anywhere else.
[[nodiscard]] Result<void> BindPrivately(const FileDescriptor& content, const std::string& place);

// Detaches the uppermost mount at `name` in the open folder `folder`, with what is mounted within
// it, and nothing anywhere else; a link is not followed. The folder may be AT_FDCWD, the name a
// path. 0 or an errno: EINVAL where nothing is mounted there. Async-signal-safe.
[[nodiscard]] int DetachPrivately(int folder, const char* name);

}  // namespace jettison::kernel
