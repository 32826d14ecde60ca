#pragma once

#include <functional>

namespace jettison::kernel {

// Takes the lock (flock) of an open file for this process. A killed agent may leave a forked child
// behind which has not yet executed its program and which still holds the agent's descriptors, and
// with them its locks. A lock that is held is therefore tried for a second, every 10 ms; `pause`
// replaces the wait in between. Returns false where the lock cannot be taken; errno is EWOULDBLOCK
// where another process holds it.
[[nodiscard]] bool AwaitLock(int file, const std::function<void()>& pause = {});

}  // namespace jettison::kernel
