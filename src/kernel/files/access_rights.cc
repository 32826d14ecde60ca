#include "kernel/files/access_rights.h"

#include <linux/limits.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <vector>

namespace jettison {
namespace {

constexpr const char* kAccessList = "system.posix_acl_access";  // acl(5)

// As the kernel hands it out; empty: there is none.
std::vector<char> AccessListOf(const std::string& path) {
  std::vector<char> list(XATTR_SIZE_MAX);
  const ssize_t size = ::getxattr(path.c_str(), kAccessList, list.data(), list.size());
  list.resize(static_cast<std::size_t>(std::max<ssize_t>(size, 0)));
  return list;
}

// An owner can be kept only with CAP_CHOWN, a group also by its members.
bool KeepOwner(const struct stat& old, int file) {
  if (::fchown(file, old.st_uid, old.st_gid) != 0) {
    (void)::fchown(file, static_cast<uid_t>(-1), old.st_gid);
  }
  struct stat now {};
  return ::fstat(file, &now) == 0 && now.st_uid == old.st_uid && now.st_gid == old.st_gid;
}

// With a list, the bits of the group in a mode are the most that the list gives, and the group
// itself may have less. A folder may have given the file a list that the old file has not.
bool KeepAccessList(const std::vector<char>& list, int file) {
  if (!list.empty()) return ::fsetxattr(file, kAccessList, list.data(), list.size(), 0) == 0;
  (void)::fremovexattr(file, kAccessList);
  return true;
}

// What a file of another owner or group may have of this mode: for its group and all others only
// what both had.
mode_t WithoutOwner(mode_t mode) {
  const mode_t both = (mode >> 3U) & mode & S_IRWXO;
  return (mode & (S_IRWXU | S_ISVTX)) | (both << 3U) | both;
}

}  // namespace

void GiveRightsOfNewFile(int file) {
  const mode_t mask = ::umask(0);
  ::umask(mask);
  (void)::fchmod(file, 0666 & ~mask);
}

// The mode comes last: a change of the owner takes set-id bits away, and until then the list gives
// nothing that it does not give in the end.
bool TakeOverRights(const std::string& path, int file) {
  struct stat old {};
  if (::stat(path.c_str(), &old) != 0) return false;
  const bool is_owner_kept = KeepOwner(old, file);
  const std::vector<char> list = AccessListOf(path);
  const bool is_list_kept = (is_owner_kept || list.empty()) && KeepAccessList(list, file);
  mode_t mode = old.st_mode & 07777;
  if (!is_owner_kept) mode = WithoutOwner(mode);
  if (!is_list_kept) mode &= S_IRWXU;
  (void)::fchmod(file, mode);
  return true;
}

}  // namespace jettison
