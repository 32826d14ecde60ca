#include "kernel/disk_usage/tree_walk.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <utility>

#include "kernel/disk_usage/file_status.h"
#include "kernel/disk_usage/remembered_trees.h"
#include "ports/system_error.h"

namespace jettison::disk_usage {
namespace {

void AddEntry(int directory, const DirectoryEntry& entry, DirectorySum& sum) {
  const auto status = StatusOf(directory, entry.name);
  if (!status) {
    if (!Vanished(status.error()) && sum.errors++ == 0) sum.first_error = status.error().message;
    return;
  }
  if (status->is_mount_point) return;
  if (status->is_directory) {
    sum.subdirectories.append(entry.name).push_back('\0');
  } else if (status->links > 1) {
    sum.linked.push_back({.id = {.device = status->device, .inode = status->inode},
                          .bytes = status->bytes,
                          .links = status->links});
  } else {
    sum.bytes += status->bytes;
    ++sum.inodes;
  }
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

Result<bool> ReadSome(int directory, DirectoryEntries& entries, DirectorySum& sum) {
  auto some = entries.ReadFrom(directory);
  if (!some || !*some) return some;
  while (const auto entry = entries.Next()) {
    // A directory is examined when it is opened, which saves a call.
    if (entry->is_directory) {
      sum.subdirectories.append(entry->name).push_back('\0');
    } else {
      AddEntry(directory, *entry, sum);
    }
  }
  return true;
}

}  // namespace jettison::disk_usage

namespace jettison {

using disk_usage::DirectoryCalls;
using disk_usage::DirectoryKey;
using disk_usage::DirectorySum;
using disk_usage::FileId;

namespace {

constexpr std::size_t kOpenDirectories = 64;

// A file is a tree of one entry. A directory that could not be opened is an error.
Result<WalkErrors> CountUnopened(const std::string& path, const Error& reason,
                                 const DirectoryCalls& calls) {
  const FileDescriptor top(::open(path.c_str(), O_PATH | O_NOFOLLOW | O_CLOEXEC));
  if (!top) return FailErrno("open");
  const auto status = disk_usage::StatusOf(top.get());
  if (!status) return Fail(status.error());
  if (status->is_directory) return Fail(reason);
  DirectorySum file;
  file.bytes = status->bytes;
  file.inodes = 1;
  calls.add(0, file);
  return WalkErrors{};
}

// Takes the last of some names, each of which ends with a zero; empty where there is none.
std::string TakeName(std::string& names) {
  if (names.empty()) return {};
  names.pop_back();
  const std::size_t start = names.rfind('\0') + 1;  // 0 where there is none
  std::string name = names.substr(start);
  names.resize(start);
  return name;
}

}  // namespace

void TreeWalk::Push(FileDescriptor directory, const disk_usage::FileStatus& status,
                    DirectoryKey key) {
  way_.push_back({.fd = std::move(directory),
                  .id = {.device = status.device, .inode = status.inode},
                  .key = key});
  if (way_.size() <= kOpenDirectories) return;
  Level& far = way_[way_.size() - kOpenDirectories];  // never the top
  if (!far.fd) return;
  far.position = ::lseek(far.fd.get(), 0, SEEK_CUR);
  far.fd.Close();
}

bool TreeWalk::Reopen(Level& level, int below) {
  FileDescriptor fd(::openat(below, "..", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  struct stat status {};
  if (!fd || ::fstat(fd.get(), &status) != 0) return false;
  if (level.id != FileId{.device = status.st_dev, .inode = status.st_ino}) return false;
  if (level.position < 0 || ::lseek(fd.get(), level.position, SEEK_SET) < 0) return false;
  level.fd = std::move(fd);
  return true;
}

// If the directory above has been moved, the walk goes on at the nearest one that is still open,
// and everything between is left out.
void TreeWalk::Pop() {
  const Level left = std::move(way_.back());
  way_.pop_back();
  if (way_.empty() || way_.back().fd || Reopen(way_.back(), left.fd.get())) return;
  while (!way_.back().fd) way_.pop_back();  // ends at the top, which is always open
  Report(1, "a directory was moved while it was measured");
}

void TreeWalk::Report(std::uint64_t errors, const std::string& first) {
  if (errors_.errors == 0) errors_.first_error = first;
  errors_.errors += errors;
}

void TreeWalk::Add(DirectoryKey key) {
  calls_->add(key, sum_);
  if (options_.progress != nullptr) options_.progress->Found(sum_.bytes, sum_.inodes);
}

void TreeWalk::AddOne(DirectoryKey key, std::uint64_t bytes) {
  sum_.Clear();
  sum_.bytes = bytes;
  sum_.inodes = 1;
  Add(key);
}

// A directory that may not be read counts without its content.
void TreeWalk::CountUnread(const char* name) {
  const Level& above = way_.back();
  const auto status = disk_usage::StatusOf(above.fd.get(), name);
  if (!status || status->is_mount_point || status->device != above.id.device) return;
  AddOne(above.key, status->bytes);
}

void TreeWalk::Enter(const std::string& name) {
  const Level& above = way_.back();
  auto directory = disk_usage::OpenBelow(above.fd.get(), name.c_str());
  if (!directory) {
    if (disk_usage::Vanished(directory.error())) return;
    Report(1, directory.error().message);
    return CountUnread(name.c_str());
  }
  const auto status = disk_usage::StatusOf(directory->get());
  if (!status) return Report(1, status.error().In(name).message);
  if (!disk_usage::ContinuesTree(directory->get(), *status, above.id.device)) return;
  const DirectoryKey key = calls_->enter(above.key, directory->get());
  AddOne(key, status->bytes);
  Push(std::move(*directory), *status, key);
}

void TreeWalk::ReadEntries() {
  Level& level = way_.back();
  sum_.Clear();
  const auto some = disk_usage::ReadSome(level.fd.get(), entries_, sum_);
  if (!some) Report(1, some.error().message);
  if (!some || !*some) {
    if (options_.directories != nullptr) ++*options_.directories;
    level.is_read = true;
    return;
  }
  if (sum_.errors > 0) Report(sum_.errors, sum_.first_error);
  level.pending += sum_.subdirectories;
  Add(level.key);
  if (options_.breathe) options_.breathe();
}

void TreeWalk::WalkDown() {
  while (!way_.empty()) {
    if (Cancelled()) return way_.clear();
    if (const std::string name = TakeName(way_.back().pending); !name.empty()) {
      Enter(name);
    } else if (!way_.back().is_read) {
      ReadEntries();
    } else {
      Pop();
    }
  }
}

Result<WalkErrors> TreeWalk::SurveyBelow(FileDescriptor directory, DirectoryKey parent,
                                         const DirectoryCalls& calls) {
  const auto status = disk_usage::StatusOf(directory.get());
  if (!status) return Fail(status.error());
  calls_ = &calls;
  errors_ = {};
  const DirectoryKey key = calls.enter(parent, directory.get());
  AddOne(key, status->bytes);
  Push(std::move(directory), *status, key);
  WalkDown();
  if (Cancelled()) return Fail(ErrorCode::kUnavailable, "the walk was cancelled");
  return std::move(errors_);
}

Result<WalkErrors> TreeWalk::Survey(const std::string& path, const DirectoryCalls& calls) {
  auto directory = disk_usage::OpenTop(path);
  auto walked = directory ? SurveyBelow(std::move(*directory), 0, calls)
                          : CountUnopened(path, directory.error(), calls);
  if (!walked) return Fail(walked.error().In("measure " + path));
  return walked;
}

Result<TreeUsage> TreeWalk::Measure(const std::string& path) {
  return RememberedTrees(0).Walk(path, *this);  // remembers nothing
}

bool TreeWalk::Continue(std::uint64_t found_bytes, std::uint64_t found_inodes) const {
  if (options_.progress != nullptr) options_.progress->Found(found_bytes, found_inodes);
  if (options_.breathe) options_.breathe();
  return !Cancelled();
}

}  // namespace jettison
