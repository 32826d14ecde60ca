#include "kernel/disk_usage/directory_sum.h"

#include "kernel/disk_usage/file_status.h"

namespace jettison::disk_usage {
namespace {

void AddName(const char* name, DirectorySum& sum) {
  sum.subdirectories.append(name).push_back('\0');
}

void AddEntry(int directory, std::uint64_t device, const DirectoryEntry& entry, DirectorySum& sum) {
  const auto status = StatusOf(directory, entry.name, entry.inode);
  if (!status) {
    if (!Vanished(status.error())) sum.Report(status.error());
    return;
  }
  if (status->is_directory && !status->is_mount_point) return AddName(entry.name, sum);
  if (!IsInTree(directory, entry.name, *status, device)) return;
  if (status->links > 1) {
    sum.linked.push_back({.id = {.device = status->device, .inode = status->inode},
                          .bytes = status->bytes,
                          .links = status->links});
    return;
  }
  sum.bytes += status->bytes;
  ++sum.inodes;
}

}  // namespace

void DirectorySum::Clear() {
  bytes = 0;
  inodes = 0;
  linked.clear();
  subdirectories.clear();
  errors = 0;
  first_error.clear();
}

void DirectorySum::Report(const Error& error) {
  if (errors++ == 0) first_error = error.message;
}

Result<bool> ReadSome(int directory, std::uint64_t device, DirectoryEntries& entries,
                      DirectorySum& sum) {
  auto some = entries.ReadFrom(directory);
  if (!some || !*some) return some;
  while (const auto entry = entries.Next()) {
    // A directory is examined when it is opened, which saves a call.
    if (entry->is_directory) {
      AddName(entry->name, sum);
    } else {
      AddEntry(directory, device, *entry, sum);
    }
  }
  return true;
}

}  // namespace jettison::disk_usage
