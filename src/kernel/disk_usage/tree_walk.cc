#include "kernel/disk_usage/tree_walk.h"

#include <fcntl.h>

#include <utility>

#include "kernel/disk_usage/directory_sum.h"
#include "kernel/disk_usage/file_status.h"
#include "kernel/disk_usage/remembered_trees.h"
#include "ports/system_error.h"

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
