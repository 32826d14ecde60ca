#include "kernel/mounts/own_tmpfs.h"

#include <fcntl.h>
#include <linux/magic.h>
#include <linux/stat.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <unistd.h>

#include <array>
#include <cstddef>
#include <cstdint>

namespace jettison::kernel {
namespace {

// A mount of /proc/self/mountinfo: "ID PARENT MAJOR:MINOR ROOT ...".
struct MountLine {
  std::uint64_t id = 0;
  std::uint64_t device_major = 0;
  std::uint64_t device_minor = 0;
  bool shows_all = false;  // its root is "/"
};

// Takes such a file character by character; only the beginnings of lines are kept.
class MountLines {
 public:
  // True when `line()` is whole with this character.
  [[nodiscard]] bool Take(char next) {
    if (next == '\n') {
      const bool is_whole = field_ >= kRoot;
      if (!is_whole) *this = {};
      return is_whole;
    }
    if (next == ' ') {
      ++field_;
      return false;
    }
    if (field_ == kRoot) {
      line_.shows_all = root_size_++ == 0 && next == '/';
    } else if (next == ':') {
      is_minor_ = true;
    } else if (next >= '0' && next <= '9') {
      AddDigit(static_cast<std::uint64_t>(next - '0'));
    }
    return false;
  }
  // The line that is whole; the next one begins.
  [[nodiscard]] MountLine Line() {
    const MountLine line = line_;
    *this = {};
    return line;
  }

 private:
  static constexpr int kDevice = 2;
  static constexpr int kRoot = 3;

  void AddDigit(std::uint64_t digit) {
    if (field_ == 0) line_.id = line_.id * 10 + digit;
    if (field_ != kDevice) return;
    std::uint64_t& number = is_minor_ ? line_.device_minor : line_.device_major;
    number = number * 10 + digit;
  }

  MountLine line_;
  int field_ = 0;
  bool is_minor_ = false;
  std::size_t root_size_ = 0;
};

// Whether the open mountinfo lists this mount with all of its file system, and no other mount of
// the same.
bool IsOnlyMount(int mountinfo, const struct statx& mount) {
  MountLines lines;
  bool is_there = false;
  std::array<char, 4096> buffer;
  for (;;) {
    const ssize_t size = ::read(mountinfo, buffer.data(), buffer.size());
    if (size < 0) return false;
    if (size == 0) return is_there;
    for (std::size_t i = 0; i < static_cast<std::size_t>(size); ++i) {
      if (!lines.Take(buffer[i])) continue;
      const MountLine line = lines.Line();
      if (line.device_major != mount.stx_dev_major || line.device_minor != mount.stx_dev_minor) {
        continue;
      }
      if (line.id != mount.stx_mnt_id || !line.shows_all) return false;
      is_there = true;
    }
  }
}

}  // namespace

bool IsOwnTmpfs(int folder) {
  struct statfs filesystem {};
  if (::fstatfs(folder, &filesystem) != 0 || filesystem.f_type != TMPFS_MAGIC) return false;
  struct statx mount {};
  if (::statx(folder, "", AT_EMPTY_PATH, STATX_MNT_ID, &mount) != 0 ||
      (mount.stx_mask & STATX_MNT_ID) == 0 || (mount.stx_attributes & STATX_ATTR_MOUNT_ROOT) == 0) {
    return false;
  }
  const int mountinfo = ::open("/proc/self/mountinfo", O_RDONLY | O_CLOEXEC);
  if (mountinfo < 0) return false;
  const bool is_own = IsOnlyMount(mountinfo, mount);
  ::close(mountinfo);
  return is_own;
}

}  // namespace jettison::kernel
