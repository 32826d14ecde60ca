#pragma once

#include <sys/types.h>

#include <string>
#include <string_view>
#include <vector>

#include "core/units/result.h"

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

// Where this process sees something mounted below a folder; the last one mounted first.
[[nodiscard]] std::vector<std::string> MountsBelow(const std::string& folder);

// Detaches these mounts, apart from the one at `except`.
void DetachMountsBelow(const std::string& folder, std::string_view except = {});

}  // namespace jettison::kernel
