#pragma once

namespace jettison::kernel {

// Whether the open folder is the root of a tmpfs that is mounted there and nowhere else, as for a
// volume in memory. What a bind mount shows belongs to another place, and so does a tmpfs whose
// mounts cannot be read. Mounts that only other mount namespaces have do not count. Allocates
// nothing and takes no lock.
[[nodiscard]] bool IsOwnTmpfs(int folder);

}  // namespace jettison::kernel
