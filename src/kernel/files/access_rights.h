#pragma once

#include <string>

namespace jettison {

// Gives an open file, which only its owner may use so far, the rights of a new file: those that the
// umask leaves.
void GiveRightsOfNewFile(int file);

// Gives it the owner, the group, the access control list and the mode of the file at this path,
// whose place it is to take. Where the owner or the group cannot be kept, it has no set-id bits,
// and nobody gains a right; where the file system refuses a mode, it stays its owner's alone. False
// where there is no file at this path.
[[nodiscard]] bool TakeOverRights(const std::string& path, int file);

}  // namespace jettison
