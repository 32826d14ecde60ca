#pragma once

namespace jettison {

// Both return 0 or the errno of the first thing that could not be deleted; what is not there is no
// error. They allocate nothing and take no lock, so that they may run in a forked child of a
// process with threads.

// Deletes a folder or file with everything in it, however deep and however much. A mount is never
// crossed: it is detached, and what it showed stays.
[[nodiscard]] int RemoveTree(const char* path);

// Empties each tmpfs that is mounted directly in the folder and nowhere else: its memory would
// otherwise stay for as long as another mount namespace or a process holds the mount. What a bind
// mount shows is not touched.
[[nodiscard]] int EmptyMemoryVolumes(const char* folder);

}  // namespace jettison
