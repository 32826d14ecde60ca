#include "kernel/disk_usage/walker.h"

#include <utility>

#include "kernel/disk_usage/file_id.h"
#include "kernel/disk_usage/file_status.h"

namespace jettison::disk_usage {

void Walker::Add(DirectoryKey key) {
  job_->ledger().Add(key, sum_);
  if (options_.progress != nullptr) options_.progress->Found(sum_.bytes, sum_.inodes);
}

// A directory that may not be read counts without its content.
void Walker::CountUnread(const char* name) {
  const auto status = StatusOf(stack_.fd(), name);
  if (!status || status->is_mount_point || status->device != stack_.device()) return;
  sum_.Clear();
  sum_.bytes = status->bytes;
  sum_.inodes = 1;
  Add(stack_.key());
}

bool Walker::WorthSharing() const {
  const bool shared = options_.shared == nullptr || *options_.shared;
  return job_->counted() >= kSmallWalk && shared && work_.Wanted();
}

void Walker::Enter(const std::string& name) {
  auto directory = OpenBelow(stack_.fd(), name.c_str());
  if (!directory) {
    if (Vanished(directory.error())) return;
    job_->Report(1, directory.error().message);
    return CountUnread(name.c_str());
  }
  const auto status = StatusOf(directory->get());
  if (!status) return job_->Report(1, status.error().In(name).message);
  if (!ContinuesTree(directory->get(), *status, stack_.device())) return;
  const FileId id = {.device = status->device, .inode = status->inode};
  const DirectoryKey key = job_->ledger().Enter(stack_.key(), directory->get());
  sum_.Clear();
  sum_.bytes = status->bytes;
  sum_.inodes = 1;
  Add(key);
  if (WorthSharing()) {
    work_.Offer({.job = job_, .directory = std::move(*directory), .id = id, .key = key});
  } else {
    stack_.Push(std::move(*directory), id, key);
  }
}

void Walker::ReadEntries() {
  sum_.Clear();
  const auto some = ReadSome(stack_.fd(), stack_.device(), entries_, sum_);
  if (!some) job_->Report(1, some.error().message);
  if (!some || !*some) {
    if (options_.directories != nullptr) ++*options_.directories;
    return stack_.SetExhausted();
  }
  if (sum_.errors > 0) job_->Report(sum_.errors, sum_.first_error);
  job_->Counted(sum_.inodes + sum_.linked.size());
  stack_.AddPending(sum_.subdirectories);
  Add(stack_.key());
  if (options_.breathe) options_.breathe();
}

void Walker::Walk(Subtree subtree) {
  job_ = subtree.job;
  stack_.Push(std::move(subtree.directory), subtree.id, subtree.key);
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
      job_->Report(1, "a directory was moved while it was measured");
    }
  }
}

}  // namespace jettison::disk_usage
