#include "kernel/disk_usage/tree_walk.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <utility>

#include "kernel/disk_usage/file_status.h"
#include "kernel/disk_usage/remembered_trees.h"
#include "ports/system_error.h"

namespace jettison::disk_usage {

void DirectoryStack::Push(FileDescriptor directory, FileId id, std::uint64_t key) {
  frames_.push_back(Frame{.fd = std::move(directory),
                          .position = 0,
                          .id = id,
                          .key = key,
                          .exhausted = false,
                          .pending = {}});
  if (frames_.size() <= kOpenDirectories) return;
  Frame& far = frames_[frames_.size() - kOpenDirectories];  // never the top, which has index 0
  if (!far.fd) return;
  far.position = ::lseek(far.fd.get(), 0, SEEK_CUR);
  far.fd.Close();
}

bool DirectoryStack::Reopen(Frame& frame, int below) {
  FileDescriptor fd(::openat(below, "..", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  struct stat status {};
  if (!fd || ::fstat(fd.get(), &status) != 0) return false;
  if (frame.id != FileId{.device = status.st_dev, .inode = status.st_ino}) return false;
  if (frame.position < 0 || ::lseek(fd.get(), frame.position, SEEK_SET) < 0) return false;
  frame.fd = std::move(fd);
  return true;
}

bool DirectoryStack::Pop() {
  const Frame left = std::move(frames_.back());
  frames_.pop_back();
  if (frames_.empty() || frames_.back().fd) return true;
  if (Reopen(frames_.back(), left.fd.get())) return true;
  while (!frames_.back().fd) frames_.pop_back();  // ends at the top, which is always open
  return false;
}

std::string DirectoryStack::TakePending() {
  std::string& pending = frames_.back().pending;
  if (pending.empty()) return {};
  pending.pop_back();
  const auto before = pending.rfind('\0');
  const std::size_t start = before == std::string::npos ? 0 : before + 1;
  std::string name = pending.substr(start);
  pending.resize(start);
  return name;
}

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

namespace jettison {

using disk_usage::DirectoryCalls;
using disk_usage::DirectoryKey;
using disk_usage::DirectorySum;

namespace {

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

}  // namespace

void TreeWalk::Report(std::uint64_t errors, const std::string& first) {
  if (errors_.errors == 0) errors_.first_error = first;
  errors_.errors += errors;
}

void TreeWalk::Add(DirectoryKey key) {
  calls_->add(key, sum_);
  if (options_.progress != nullptr) options_.progress->Found(sum_.bytes, sum_.inodes);
}

// A directory that may not be read counts without its content.
void TreeWalk::CountUnread(const char* name) {
  const auto status = disk_usage::StatusOf(stack_.fd(), name);
  if (!status || status->is_mount_point || status->device != stack_.device()) return;
  sum_.Clear();
  sum_.bytes = status->bytes;
  sum_.inodes = 1;
  Add(stack_.key());
}

void TreeWalk::Enter(const std::string& name) {
  auto directory = disk_usage::OpenBelow(stack_.fd(), name.c_str());
  if (!directory) {
    if (disk_usage::Vanished(directory.error())) return;
    Report(1, directory.error().message);
    return CountUnread(name.c_str());
  }
  const auto status = disk_usage::StatusOf(directory->get());
  if (!status) return Report(1, status.error().In(name).message);
  if (!disk_usage::ContinuesTree(directory->get(), *status, stack_.device())) return;
  const DirectoryKey key = calls_->enter(stack_.key(), directory->get());
  sum_.Clear();
  sum_.bytes = status->bytes;
  sum_.inodes = 1;
  Add(key);
  stack_.Push(std::move(*directory), {.device = status->device, .inode = status->inode}, key);
}

void TreeWalk::ReadEntries() {
  sum_.Clear();
  const auto some = disk_usage::ReadSome(stack_.fd(), stack_.device(), entries_, sum_);
  if (!some) Report(1, some.error().message);
  if (!some || !*some) {
    if (options_.directories != nullptr) ++*options_.directories;
    return stack_.SetExhausted();
  }
  if (sum_.errors > 0) Report(sum_.errors, sum_.first_error);
  stack_.AddPending(sum_.subdirectories);
  Add(stack_.key());
  if (options_.breathe) options_.breathe();
}

void TreeWalk::WalkDown() {
  while (!stack_.empty()) {
    if (Cancelled()) {
      stack_ = {};
      return;
    }
    if (const std::string name = stack_.TakePending(); !name.empty()) {
      Enter(name);
    } else if (!stack_.exhausted()) {
      ReadEntries();
    } else if (!stack_.Pop()) {
      Report(1, "a directory was moved while it was measured");
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
  DirectorySum own;
  own.bytes = status->bytes;
  own.inodes = 1;
  calls.add(key, own);
  if (options_.progress != nullptr) options_.progress->Found(own.bytes, own.inodes);
  stack_.Push(std::move(directory), {.device = status->device, .inode = status->inode}, key);
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
