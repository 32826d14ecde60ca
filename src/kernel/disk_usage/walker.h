#pragma once

#include <cstddef>
#include <string>

#include "kernel/disk_usage/directory_entries.h"
#include "kernel/disk_usage/directory_stack.h"
#include "kernel/disk_usage/directory_sum.h"
#include "kernel/disk_usage/shared_work.h"
#include "kernel/disk_usage/walk_job.h"
#include "kernel/disk_usage/walk_options.h"

namespace jettison::disk_usage {

// What one thread of a walk works with.
class Walker {
 public:
  // Both must outlive this.
  Walker(const WalkOptions& options, SharedWork& work) : options_(options), work_(work) {}

  // Walks a subtree, but for what it leaves to others. Ends early when cancelled.
  void Walk(Subtree subtree);

 private:
  // A walk this small is over before another thread has woken up.
  static constexpr std::size_t kSmallWalk = 2000;

  [[nodiscard]] bool WorthSharing() const;
  void Enter(const std::string& name);
  void CountUnread(const char* name);
  void ReadEntries();
  void Add(DirectoryKey key);  // what is in `sum_`
  [[nodiscard]] bool Cancelled() const {
    return options_.cancelled != nullptr && *options_.cancelled;
  }

  const WalkOptions& options_;
  SharedWork& work_;
  WalkJob* job_ = nullptr;
  DirectoryEntries entries_;
  DirectoryStack stack_;
  DirectorySum sum_;
};

}  // namespace jettison::disk_usage
