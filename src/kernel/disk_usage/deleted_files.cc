#include "kernel/disk_usage/deleted_files.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/magic.h>
#include <sys/vfs.h>

#include <cerrno>
#include <csignal>
#include <string>
#include <unordered_set>

#include "kernel/disk_usage/file_status.h"
#include "ports/file_descriptor.h"

namespace jettison {
namespace {

using disk_usage::FileStatus;
using disk_usage::StatusBehind;

// The device of the overlay that is the root of a process; absent: its root is something else.
std::optional<dev_t> OverlayOf(const std::string& process) {
  const std::string root = process + "/root";
  struct statfs filesystem {};
  if (::statfs(root.c_str(), &filesystem) != 0) return std::nullopt;
  if (filesystem.f_type != OVERLAYFS_SUPER_MAGIC) return std::nullopt;
  const auto status = StatusBehind(AT_FDCWD, root.c_str());
  return status ? std::optional<dev_t>(status->device) : std::nullopt;
}

void Add(const FileStatus& status, FsUsage& sum) {
  sum.used_bytes = sum.used_bytes.value_or(0) + status.bytes;
  sum.inodes_used = sum.inodes_used.value_or(0) + 1;
}

class Search {
 public:
  Search(const DevicesOfDisk& devices, std::size_t& most) : devices_(devices), most_(most) {}

  void LookInto(pid_t pid) {
    const std::string process = fmt::format("/proc/{}", pid);
    const auto listed = LookAt(process);
    // What hidepid hides looks as if it had ended.
    if (!listed) found_.unread = found_.unread || ::kill(pid, 0) == 0 || errno == EPERM;
    if (!listed || *listed > 0) return;
    // The first thread may have ended, with its descriptors, while others run.
    const FileDescriptor threads(Open(process + "/task"));
    disk_usage::DirectoryEntries entries;
    if (!threads || !entries.ReadFrom(threads.get())) return;
    while (const auto thread = entries.Next()) {
      if (LookAt(fmt::format("{}/task/{}", process, thread->name)).value_or(0) > 0) return;
    }
  }
  [[nodiscard]] const DeletedFiles& found() const { return found_; }

 private:
  [[nodiscard]] static int Open(const std::string& folder) {
    return ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  }
  // How many descriptors a process, or a thread, has; absent: they cannot be listed.
  std::optional<std::size_t> LookAt(const std::string& process) {
    const FileDescriptor open_files(Open(process + "/fd"));
    if (!open_files) return std::nullopt;
    std::size_t listed = 0;
    for (auto some = entries_.ReadFrom(open_files.get()); some && *some;
         some = entries_.ReadFrom(open_files.get())) {
      while (const auto entry = entries_.Next()) {
        ++listed;
        if (most_ == 0) {
          found_.unread = true;
          return listed;
        }
        --most_;
        LookAtFile(process, open_files.get(), entry->name);
      }
    }
    return listed;
  }
  void LookAtFile(const std::string& process, int open_files, const char* name) {
    const auto status = StatusBehind(open_files, name);
    if (!status) {
      found_.unread = found_.unread || !disk_usage::Vanished(status.error());
      return;
    }
    if (status->links > 0) return;
    FsUsage* place = PlaceOf(status->device);
    if (place == nullptr && status->device == OverlayOf(process)) place = &found_.in_layers;
    if (place == nullptr) return;
    const disk_usage::FileId id = {.device = status->device, .inode = status->inode};
    if (seen_.insert(id).second) Add(*status, *place);
  }
  [[nodiscard]] FsUsage* PlaceOf(dev_t device) {
    if (device == devices_.node) return &found_.on_node;
    return device == devices_.layers ? &found_.in_layers : nullptr;
  }

  const DevicesOfDisk& devices_;
  std::size_t& most_;
  DeletedFiles found_;
  std::unordered_set<disk_usage::FileId, disk_usage::FileIdHash> seen_;
  disk_usage::DirectoryEntries entries_;
};

}  // namespace

DeletedFiles DeletedFilesOf(std::span<const pid_t> processes, const DevicesOfDisk& devices,
                            std::size_t& most) {
  Search search(devices, most);
  for (const pid_t pid : processes) search.LookInto(pid);
  return search.found();
}

}  // namespace jettison
