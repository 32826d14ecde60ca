#pragma once

#include <functional>

namespace jettison::kernel {

// Takes the lock of an open file (flock) for this process. An agent that was killed may have been
// about to start a program: what it had forked for that keeps its descriptors, and with them its
// locks, until it has come to the exec. So a lock that somebody holds is tried again for a second,
// with a `pause` of 10 ms unless told. False: errno says why, EWOULDBLOCK where it is held.
[[nodiscard]] bool AwaitLock(int file, const std::function<void()>& pause = {});

}  // namespace jettison::kernel
