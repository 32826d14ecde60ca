#include "kernel/files/own_folders.h"

#include <fcntl.h>
#include <linux/stat.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

#include "kernel/files/files.h"

namespace jettison::kernel {
namespace {

bool IsOpenFolder(const std::string& path) {
  struct statx facts {};
  return ::statx(AT_FDCWD, path.c_str(), AT_SYMLINK_NOFOLLOW | AT_NO_AUTOMOUNT, STATX_TYPE,
                 &facts) == 0 &&
         S_ISDIR(facts.stx_mode) && (facts.stx_attributes & STATX_ATTR_MOUNT_ROOT) == 0;
}

bool IsPodEntry(std::string_view name) {
  static constexpr std::array<std::string_view, 3> kFolders = {"volumes", "containers",
                                                               "sub-paths"};
  static constexpr std::array<std::string_view, 3> kFiles = {"pod.json", "record", "mount-points"};
  if (std::ranges::find(kFolders, name) != kFolders.end()) return true;
  if (name.ends_with(".new")) name.remove_suffix(4);  // a draft of WriteFile
  return std::ranges::find(kFiles, name) != kFiles.end();
}

// "0.log", "0.log.3", "0.log.20060102-150405.gz".
bool IsLogName(std::string_view name) {
  const std::size_t digits = std::min(name.find_first_not_of("0123456789"), name.size());
  if (digits == 0 || !name.substr(digits).starts_with(".log")) return false;
  name.remove_prefix(digits + 4);
  return name.empty() || name.front() == '.';
}

}  // namespace

bool IsPodFolder(const std::string& path) {
  if (!IsOpenFolder(path)) return false;
  const auto names = NamesIn(path);
  return names && std::ranges::all_of(*names, IsPodEntry);
}

bool IsLogFolder(const std::string& path) {
  if (!IsOpenFolder(path)) return false;
  const auto containers = NamesIn(path);
  return containers && std::ranges::all_of(*containers, [&](const std::string& container) {
           const std::string folder = path + "/" + container;
           if (!IsOpenFolder(folder)) return false;
           const auto logs = NamesIn(folder);
           return logs && std::ranges::all_of(*logs, IsLogName);
         });
}

}  // namespace jettison::kernel
