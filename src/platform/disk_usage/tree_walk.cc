#include "platform/disk_usage/tree_walk.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <cerrno>
#include <functional>
#include <utility>

#include "ports/system_error.h"

namespace jettison {
namespace {

constexpr std::uint64_t kBlock = 512;  // the unit of stx_blocks, whatever the file system's own
constexpr int kDirectory = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK;

// An entry that was removed, or replaced by something else, since it was listed.
bool Vanished(const Error& error) {
  return error.code == ErrorCode::kNotFound;
}

Result<FileDescriptor> OpenDirectory(int parent, const char* name) {
  FileDescriptor fd(::openat(parent, name, kDirectory));
  if (fd) return fd;
  if (errno == ENOTDIR || errno == ELOOP) return Fail(SystemError(ENOENT, name));
  return FailErrno(name);
}

}  // namespace

std::size_t TreeWalk::HashFileId::operator()(const FileId& id) const {
  return std::hash<std::uint64_t>()(id.inode * 31 + id.device);
}

Result<TreeWalk::Found> TreeWalk::Look(int directory, const char* name, int flags) {
  constexpr unsigned kWanted = STATX_TYPE | STATX_NLINK | STATX_INO | STATX_BLOCKS;
  struct statx status {};
  constexpr int kAlways = AT_SYMLINK_NOFOLLOW | AT_NO_AUTOMOUNT | AT_STATX_DONT_SYNC;
  if (::statx(directory, name, flags | kAlways, kWanted, &status) != 0) return FailErrno(name);
  return Found{.is_directory = S_ISDIR(status.stx_mode),
               .is_mount_point = (status.stx_attributes & STATX_ATTR_MOUNT_ROOT) != 0,
               .links = status.stx_nlink,
               .bytes = status.stx_blocks * kBlock,
               .id = {.device = ::makedev(status.stx_dev_major, status.stx_dev_minor),
                      .inode = status.stx_ino}};
}

void TreeWalk::Report(const Error& error, Tally& tally) {
  if (tally.errors++ == 0) tally.first_error = error.message;
}

void TreeWalk::Count(const Found& found, Tally& tally) {
  if (!found.is_directory && found.links > 1 && !linked_.insert(found.id).second) return;
  tally.bytes += found.bytes;
  ++tally.inodes;
}

void TreeWalk::CountEntry(const char* name, Tally& tally) {
  const auto found = Look(stack_.fd(), name, 0);
  if (!found) {
    if (!Vanished(found.error())) Report(found.error(), tally);
    return;
  }
  if (found->is_mount_point || found->id.device != tally.device) return;
  Count(*found, tally);
  if (found->is_directory) stack_.AddPending(name);
}

void TreeWalk::ReadSome(Tally& tally) {
  const auto some = entries_.ReadFrom(stack_.fd());
  if (!some) Report(some.error(), tally);
  if (!some || !*some) {
    stack_.SetExhausted();
    return;
  }
  while (const char* name = entries_.Next()) CountEntry(name, tally);
}

void TreeWalk::Enter(const std::string& name, Tally& tally) {
  auto directory = OpenDirectory(stack_.fd(), name.c_str());
  if (!directory) {
    if (!Vanished(directory.error())) Report(directory.error(), tally);
    return;
  }
  const auto found = Look(directory->get(), "", AT_EMPTY_PATH);
  if (!found) return Report(found.error().In(name), tally);
  if (found->id.device != tally.device) return;  // mounted over since it was listed
  stack_.Push(std::move(*directory), found->id.inode);
}

Result<void> TreeWalk::Walk(Tally& tally) {
  while (!stack_.empty()) {
    if (Cancelled()) return Fail(ErrorCode::kUnavailable, "the walk was cancelled");
    if (const std::string name = stack_.TakePending(); !name.empty()) {
      Enter(name, tally);
    } else if (!stack_.exhausted()) {
      ReadSome(tally);
    } else if (!stack_.Pop()) {
      Report({ErrorCode::kInternal, "a directory was moved while it was measured"}, tally);
    }
  }
  return {};
}

Result<TreeUsage> TreeWalk::Measure(const std::string& path) {
  const FileDescriptor top(::open(path.c_str(), O_PATH | O_NOFOLLOW | O_CLOEXEC));
  if (!top) return FailErrno("measure " + path);
  const auto found = Look(top.get(), "", AT_EMPTY_PATH);
  if (!found) return Fail(found.error().In("measure " + path));
  Tally tally;
  tally.device = found->id.device;
  Count(*found, tally);
  stack_ = {};
  if (found->is_directory) {
    auto directory = OpenDirectory(top.get(), ".");
    if (!directory) return Fail(directory.error().In("measure " + path));
    stack_.Push(std::move(*directory), found->id.inode);
  }
  if (auto ok = Walk(tally); !ok) return Fail(ok.error().In("measure " + path));
  return TreeUsage{.usage = {.used_bytes = tally.bytes, .inodes_used = tally.inodes},
                   .errors = tally.errors,
                   .first_error = std::move(tally.first_error)};
}

}  // namespace jettison
