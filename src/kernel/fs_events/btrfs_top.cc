#include "kernel/fs_events/btrfs_top.h"

#include <endian.h>
#include <fcntl.h>
#include <linux/btrfs.h>
#include <linux/btrfs_tree.h>
#include <sys/ioctl.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <optional>

namespace jettison::fs_events {
namespace {

constexpr int kTypeOfHandle = 0x4d;  // FILEID_BTRFS_WITHOUT_PARENT

// What such a handle holds: the beginning of struct btrfs_fid.
struct [[gnu::packed]] HeldByHandle {
  std::uint64_t inode = 0;
  std::uint64_t subvolume = 0;
  std::uint32_t generation = 0;
};

struct alignas(file_handle) Handle {
  std::array<std::byte, sizeof(file_handle) + MAX_HANDLE_SZ> bytes{};
  [[nodiscard]] file_handle* get() { return reinterpret_cast<file_handle*>(bytes.data()); }
};

// The generation of the top directory, from its inode item in the tree of that subvolume. Linux 6.1
// refuses a handle without it.
std::optional<std::uint32_t> GenerationOfTop(int fd) {
  btrfs_ioctl_search_args search{};
  search.key.tree_id = BTRFS_FS_TREE_OBJECTID;
  search.key.min_objectid = BTRFS_FIRST_FREE_OBJECTID;
  search.key.max_objectid = BTRFS_FIRST_FREE_OBJECTID;
  search.key.min_type = BTRFS_INODE_ITEM_KEY;
  search.key.max_type = BTRFS_INODE_ITEM_KEY;
  search.key.max_offset = std::numeric_limits<std::uint64_t>::max();
  search.key.max_transid = std::numeric_limits<std::uint64_t>::max();
  search.key.nr_items = 1;
  if (::ioctl(fd, BTRFS_IOC_TREE_SEARCH, &search) != 0) return std::nullopt;
  if (search.key.nr_items != 1) return std::nullopt;
  std::uint64_t generation = 0;  // the first field of struct btrfs_inode_item
  std::memcpy(&generation, search.buf + sizeof(btrfs_ioctl_search_header), sizeof generation);
  return static_cast<std::uint32_t>(le64toh(generation));
}

}  // namespace

FileDescriptor OpenTopOfBtrfs(const std::string& path) {
  constexpr int kFlags = O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NONBLOCK;
  const FileDescriptor below(::open(path.c_str(), kFlags));
  Handle handle;
  file_handle* const head = handle.get();
  head->handle_bytes = MAX_HANDLE_SZ;
  int mount = 0;
  if (!below || ::name_to_handle_at(below.get(), "", head, &mount, AT_EMPTY_PATH) != 0 ||
      head->handle_type != kTypeOfHandle || head->handle_bytes != sizeof(HeldByHandle)) {
    return {};
  }
  const auto generation = GenerationOfTop(below.get());
  if (!generation) return {};
  const HeldByHandle top = {.inode = BTRFS_FIRST_FREE_OBJECTID,
                            .subvolume = BTRFS_FS_TREE_OBJECTID,
                            .generation = *generation};
  std::memcpy(head->f_handle, &top, sizeof top);
  return FileDescriptor(::open_by_handle_at(below.get(), head, kFlags));
}

}  // namespace jettison::fs_events
