#pragma once

#include <sys/types.h>

#include <string>
#include <string_view>
#include <vector>

#include "core/units/result.h"
#include "ports/file_descriptor.h"

namespace jettison::kernel {

// One mount of /proc/self/mountinfo, escaped characters restored.
struct Mount {
  std::string root;   // what of the file system is mounted: "/" for all of it
  std::string point;  // where
  std::string type;   // "cgroup2", "ext4"
  std::string super_options;
  dev_t device = 0;  // of the file system as a whole: equal for all of its mounts

  // Whether all of the file system is there, not one of its folders bound to that place.
  [[nodiscard]] bool IsOfRoot() const { return root == "/"; }
  // Whether the comma-separated super options hold this one.
  [[nodiscard]] bool HasOption(std::string_view option) const;
};

// A field of such a file as it is meant: space, tab, newline and backslash are written as \ooo.
[[nodiscard]] std::string UnescapedMountField(std::string_view text);

// The mounts in the text of such a file, in its order (proc(5)). A line that does not follow the
// format is passed over: other mounts are none of our business. Pure.
[[nodiscard]] std::vector<Mount> ParseMounts(std::string_view text);

// Reads and parses such a file.
[[nodiscard]] Result<std::vector<Mount>> ReadMounts(const std::string& file);

// Where this process sees something mounted below a folder, by real paths; the last one mounted
// first. None where there is no such folder.
[[nodiscard]] Result<std::vector<std::string>> MountsBelow(const std::string& folder);

// Whether the kernel has mount_setattr(2), since Linux 5.12, and with it all calls for folders in
// which other file systems may be mounted (openat2, statx's mark of mount points). Without them a
// pod's folder cannot be emptied without the risk of emptying what is mounted in it.
[[nodiscard]] bool HasMountCalls();

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
