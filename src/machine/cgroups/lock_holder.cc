#include "machine/cgroups/lock_holder.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include <algorithm>
#include <sstream>

#include "kernel/files/files.h"

namespace jettison {
namespace {

using Facts = struct stat;

std::string CommandOf(int pid) {
  std::string command = kernel::ReadFile(fmt::format("/proc/{}/cmdline", pid)).value_or("unknown");
  while (command.ends_with('\0')) command.pop_back();
  std::ranges::replace(command, '\0', ' ');
  return command;
}

// The user who started it, from the text of its `status`: "Uid:" and the real, effective, saved and
// file system's IDs. The owner of its folder would be root for whoever hides its memory.
std::optional<uid_t> UserIn(const std::string& status) {
  constexpr std::string_view kRow = "\nUid:";
  const std::size_t row = status.find(kRow);
  if (row == std::string::npos) return std::nullopt;
  std::istringstream words(status.substr(row + kRow.size()));
  uid_t user = 0;
  if (!(words >> user)) return std::nullopt;
  return user;
}

// The process may have ended since it took the lock, and its pid may be another's by now.
bool HasOpen(int pid, const Facts& file) {
  const std::string folder = fmt::format("/proc/{}/fd", pid);
  const auto names = kernel::NamesIn(folder);
  if (!names) return true;
  return std::ranges::any_of(*names, [&](const std::string& name) {
    Facts open{};
    return ::stat(fmt::format("{}/{}", folder, name).c_str(), &open) == 0 &&
           open.st_dev == file.st_dev && open.st_ino == file.st_ino;
  });
}

bool MayBeAgent(const LockHolder& holder, const Facts& file) {
  if (holder.is_shared) return false;
  const auto status = kernel::ReadFile(fmt::format("/proc/{}/status", holder.pid));
  if (!status) return status.error().code != ErrorCode::kNotFound;
  const std::optional<uid_t> user = UserIn(*status);
  if (user && *user != 0 && *user != file.st_uid) return false;
  return HasOpen(holder.pid, file);
}

}  // namespace

// "1: FLOCK  ADVISORY  WRITE 4711 00:1c:1234 0 EOF"; a line of who waits has "->" behind the
// number.
std::optional<LockHolder> LockHolderIn(const std::string& locks, const LockedFile& file) {
  const std::string wanted = fmt::format("{:02x}:{:02x}:{}", file.major, file.minor, file.inode);
  std::istringstream lines(locks);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string number;
    std::string kind;
    std::string advisory;
    std::string access;
    std::string place;
    int pid = 0;
    if (!(words >> number >> kind >> advisory >> access >> pid >> place)) continue;
    if (kind == "FLOCK" && place == wanted && pid > 0) {
      return LockHolder{.pid = pid, .is_shared = access == "READ"};
    }
  }
  return std::nullopt;
}

KnownHolder DescribeLockHolder(int fd) {
  KnownHolder unknown{.description = "a process that cannot be told"};
  Facts facts{};
  if (::fstat(fd, &facts) != 0) return unknown;
  const auto holder = LockHolderIn(
      kernel::ReadFile("/proc/locks").value_or(""),
      {.major = major(facts.st_dev), .minor = minor(facts.st_dev), .inode = facts.st_ino});
  if (!holder) return unknown;
  return {.description = fmt::format("process {} ({})", holder->pid, CommandOf(holder->pid)),
          .may_be_agent = MayBeAgent(*holder, facts)};
}

}  // namespace jettison
