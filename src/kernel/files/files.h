#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/units/result.h"

namespace jettison::kernel {

// The whole of a small file; kNotFound when it does not exist.
[[nodiscard]] Result<std::string> ReadFile(const std::string& path);

// Puts a file in place at once: whoever reads it sees the old content, or none, or all of the new.
// It outlives the death of the process; whether it outlives that of the machine does not matter,
// as nothing that runs does either.
[[nodiscard]] Result<void> WriteFile(const std::string& path, std::string_view text);

// The same for a file that changes again and again, also on a full disk: after the first time there
// is space for the next one beside it. Blank lines are added to the text, which make files of about
// the same length as large as each other.
[[nodiscard]] Result<void> RewriteFile(const std::string& path, std::string_view text);

// Makes the folder with those that lead to it; one that exists is fine.
[[nodiscard]] Result<void> MakeFolders(const std::string& path, unsigned mode = 0755);

// Names in a folder without "." and "..", sorted; empty when it does not exist.
[[nodiscard]] Result<std::vector<std::string>> NamesIn(const std::string& folder);

[[nodiscard]] bool Exists(const std::string& path);

}  // namespace jettison::kernel
