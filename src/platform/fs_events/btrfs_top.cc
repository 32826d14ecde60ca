#include "platform/fs_events/btrfs_top.h"

#include <fcntl.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace jettison::fs_events {
namespace {

constexpr int kTypeOfHandle = 0x4d;  // FILEID_BTRFS_WITHOUT_PARENT

// What such a handle holds: the beginning of struct btrfs_fid.
struct [[gnu::packed]] TopOfBtrfs {
  std::uint64_t inode = 256;     // BTRFS_FIRST_FREE_OBJECTID
  std::uint64_t subvolume = 5;   // BTRFS_FS_TREE_OBJECTID
  std::uint32_t generation = 0;  // any
};

struct alignas(file_handle) Handle {
  std::array<std::byte, sizeof(file_handle) + MAX_HANDLE_SZ> bytes{};
  [[nodiscard]] file_handle* get() { return reinterpret_cast<file_handle*>(bytes.data()); }
};

}  // namespace

FileDescriptor OpenTopOfBtrfs(const std::string& path) {
  constexpr int kFlags = O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NONBLOCK;
  const FileDescriptor below(::open(path.c_str(), kFlags));
  Handle handle;
  file_handle* const head = handle.get();
  head->handle_bytes = MAX_HANDLE_SZ;
  int mount = 0;
  if (!below || ::name_to_handle_at(below.get(), "", head, &mount, AT_EMPTY_PATH) != 0 ||
      head->handle_type != kTypeOfHandle || head->handle_bytes != sizeof(TopOfBtrfs)) {
    return {};
  }
  const TopOfBtrfs top;
  std::memcpy(head->f_handle, &top, sizeof top);
  return FileDescriptor(::open_by_handle_at(below.get(), head, kFlags));
}

}  // namespace jettison::fs_events
