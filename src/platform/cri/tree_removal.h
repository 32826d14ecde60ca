#pragma once

namespace jettison::cri {

// Deletes a folder or file with everything in it, however deep and however much. A mount is never
// crossed: what is mounted is detached, and before that emptied only where it is a tmpfs, whose
// memory would otherwise stay as long as anything else holds it. What is not there is no error.
// Returns 0 or the errno of the first thing that could not be deleted.
//
// Allocates nothing and takes no lock, so that it may run in a forked child of a process with
// threads.
[[nodiscard]] int RemoveTree(const char* path);

}  // namespace jettison::cri
