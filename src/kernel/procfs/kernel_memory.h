#pragma once

#include <cstdint>
#include <string>

namespace jettison::procfs {

// What the kernel holds of the machine's memory beside page cache and the memory of processes, for
// people, the largest part first: "190 MiB zram, 30 MiB that no file names (pipe buffers, ...), 21
// MiB slab". `held`: bytes of all of it, as far as they are missing. Opens files, so it is not for
// the moment at which memory is short. `root` has the folders proc and sys.
[[nodiscard]] std::string DescribeKernelMemory(std::uint64_t held, const std::string& root = "");

}  // namespace jettison::procfs
