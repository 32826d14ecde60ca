#include "kernel/procfs/kernel_memory.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <functional>
#include <numeric>
#include <sstream>
#include <string_view>
#include <utility>
#include <vector>

#include "kernel/files/files.h"

namespace jettison::procfs {
namespace {

using Part = std::pair<std::uint64_t, std::string_view>;  // bytes, and what they are

// Rows of /proc/meminfo. What can be dropped is available, and what processes have mapped is not
// the kernel's own.
std::vector<Part> PartsIn(const std::string& meminfo) {
  std::vector<Part> parts = {{0, "slab"}, {0, "page tables"}, {0, "stacks"}, {0, "per-CPU memory"}};
  std::istringstream words(meminfo);
  std::string key;
  std::uint64_t kibibytes = 0;
  for (std::string line; std::getline(words, line);) {
    std::istringstream row(line);
    if (!(row >> key >> kibibytes)) continue;
    if (key == "SUnreclaim:") parts[0].first += kibibytes * 1024;
    if (key == "PageTables:" || key == "SecPageTables:") parts[1].first += kibibytes * 1024;
    if (key == "KernelStack:") parts[2].first += kibibytes * 1024;
    if (key == "Percpu:") parts[3].first += kibibytes * 1024;
  }
  return parts;
}

// Of all zram devices: the third number of mm_stat (mem_used_total,
// Documentation/admin-guide/blockdev/zram.rst).
std::uint64_t InZram(const std::string& root) {
  std::uint64_t all = 0;
  for (const std::string& name :
       kernel::NamesIn(root + "/sys/block").value_or(std::vector<std::string>())) {
    if (!name.starts_with("zram")) continue;
    std::istringstream numbers(
        kernel::ReadFile(fmt::format("{}/sys/block/{}/mm_stat", root, name)).value_or(""));
    std::uint64_t original = 0;
    std::uint64_t compressed = 0;
    std::uint64_t used = 0;
    if (numbers >> original >> compressed >> used) all += used;
  }
  return all;
}

}  // namespace

std::string DescribeKernelMemory(std::uint64_t held, const std::string& root) {
  constexpr std::uint64_t kMi = std::uint64_t{1} << 20;
  std::vector<Part> parts = PartsIn(kernel::ReadFile(root + "/proc/meminfo").value_or(""));
  parts.emplace_back(InZram(root), "zram");
  const auto add = [](std::uint64_t sum, const Part& part) { return sum + part.first; };
  const std::uint64_t named = std::accumulate(parts.begin(), parts.end(), std::uint64_t{0}, add);
  if (named < held) {
    parts.emplace_back(held - named,
                       "that no file names (pipe buffers, a file system's own cache, drivers)");
  }
  std::ranges::sort(parts, std::greater<>());
  std::vector<std::string> texts;
  for (const auto& [bytes, name] : parts) {
    if (bytes >= kMi) texts.push_back(fmt::format("{} MiB {}", bytes / kMi, name));
  }
  return fmt::format("{}", fmt::join(texts, ", "));
}

}  // namespace jettison::procfs
