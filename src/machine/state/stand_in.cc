#include "machine/state/stand_in.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <string_view>
#include <utility>

#include "kernel/files/files.h"
#include "kernel/files/root_lock.h"
#include "ports/system_error.h"

namespace jettison {
namespace {

namespace fs = std::filesystem;

// What decisions depend on. Records of evictions and recordings are too large for memory.
constexpr std::array<std::string_view, 4> kKept = {"node-state", "images.json", "cluster-evictions",
                                                   "cluster-pods"};

std::string Below(const std::string& folder, std::string_view name) {
  return fmt::format("{}/{}", folder, name);
}

// Puts a copy of a file or folder in the place of another one, whole or not at all.
std::error_code Replace(const std::string& from, const std::string& to) {
  const std::string copy = to + ".copy";
  std::error_code error;
  fs::remove_all(copy, error);
  if (!error) {
    fs::copy(from, copy, fs::copy_options::recursive | fs::copy_options::copy_symlinks, error);
  }
  if (!error && fs::is_directory(fs::symlink_status(to, error))) fs::remove_all(to, error);
  if (error == std::errc::no_such_file_or_directory) error.clear();
  if (!error) fs::rename(copy, to, error);
  return error;
}

// The lock of the root, where it has one that can be opened. kUnavailable: another agent has it.
Result<FileDescriptor> LockOf(const std::string& root) {
  const std::string file = Below(root, "lock");
  if (root.empty() || !kernel::Exists(file)) return FileDescriptor();
  auto lock = kernel::LockRoot(file);
  if (lock || lock.error().code == ErrorCode::kUnavailable) return lock;
  return FileDescriptor();
}

}  // namespace

const std::string& StatePlace::FolderOf(std::string_view name) const {
  return std::ranges::find(not_read, name) == not_read.end() ? folder : root;
}

bool IsDiskFault(const std::error_code& error) {
  constexpr std::array kFaults = {EROFS, EIO, ENOSPC, EDQUOT, EUCLEAN, ENXIO, ESTALE};
  return error && std::ranges::find(kFaults, error.value()) != kFaults.end();
}

// "-" stands for a slash, so that no two roots have the same name.
std::string StandInFor(const std::string& root, const std::string& base) {
  std::string name = "root";
  for (const char c : root) {
    switch (c) {
      case '/': name += '-'; break;
      case '-': name += "_2d"; break;
      case '_': name += "_5f"; break;
      default: name += c;
    }
  }
  return Below(base, name);
}

Result<StandIn> OpenStandIn(const std::string& folder, const std::string& root) {
  // Released at the end: the runtime takes the lock of the root itself.
  const auto root_lock = LockOf(root);
  if (!root_lock) return Fail(root_lock.error());
  if (auto made = kernel::MakeFolders(folder, 0700); !made) return Fail(made.error());
  auto lock = kernel::LockRoot(Below(folder, "lock"));
  if (!lock) return Fail(lock.error());
  StandIn opened{.folder = folder, .lock = std::move(*lock), .not_read = {}};
  if (root.empty()) return opened;
  for (const std::string_view name : kKept) {
    if (kernel::Exists(Below(folder, name)) || !kernel::Exists(Below(root, name))) continue;
    if (Replace(Below(root, name), Below(folder, name))) opened.not_read.emplace_back(name);
  }
  return opened;
}

Result<bool> TakeBack(const std::string& folder, const std::string& root) {
  if (!kernel::Exists(folder)) return false;
  const auto lock = kernel::LockRoot(Below(folder, "lock"));
  if (!lock) return Fail(lock.error());
  for (const std::string_view name : kKept) {
    if (!kernel::Exists(Below(folder, name))) continue;
    if (const auto failed = Replace(Below(folder, name), Below(root, name))) {
      return Fail(SystemError(failed.value(), "write " + Below(root, name)));
    }
  }
  std::error_code error;
  fs::remove_all(folder, error);
  if (error) return Fail(SystemError(error.value(), "remove " + folder));
  return true;
}

}  // namespace jettison
