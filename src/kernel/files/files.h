#pragma once

#include <cstddef>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "core/units/result.h"

namespace jettison::kernel {

// The whole of a small file; kNotFound when it does not exist. A pipe is not waited for.
[[nodiscard]] Result<std::string> ReadFile(const std::string& path);

// The whole of what a person has named: a file, a symbolic link to one, a pipe or a device. Fails
// where there is more than `most` bytes, of which no more are held. The error says why, and does
// not name the path.
[[nodiscard]] Result<std::string> ReadInput(const std::string& path, std::size_t most);
// The same of what is open, from its current position on.
[[nodiscard]] Result<std::string> ReadToEnd(
    int fd, std::size_t most = std::numeric_limits<std::size_t>::max());

// Writes a file atomically: a reader sees the old content (or no file), or all of the new content.
// The file survives the death of this process, but perhaps not that of the machine; no container
// survives that either.
[[nodiscard]] Result<void> WriteFile(const std::string& path, std::string_view text);

// Does the same for a file that changes again and again, and works on a full disk: after the first
// call the space for the next version is reserved beside the file. Newlines are added to the text,
// so that versions of similar length have the same size, and none has less than `at_least` bytes.
[[nodiscard]] Result<void> RewriteFile(const std::string& path, std::string_view text,
                                       std::size_t at_least = 0);

// Makes the folder with those that lead to it; one that exists is fine.
[[nodiscard]] Result<void> MakeFolders(const std::string& path, unsigned mode = 0755);

// Names in a folder without "." and "..", sorted; empty when it does not exist.
[[nodiscard]] Result<std::vector<std::string>> NamesIn(const std::string& folder);

// Whether there is something at the path, or may be: false only if the kernel says that there is
// nothing.
[[nodiscard]] bool Exists(const std::string& path);

}  // namespace jettison::kernel
