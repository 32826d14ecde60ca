#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <string>

#include "core/units/result.h"
#include "kernel/disk_usage/directory_ledger.h"
#include "kernel/disk_usage/file_id.h"
#include "ports/file_descriptor.h"

namespace jettison::disk_usage {

// One tree that is being walked, shared by the threads that are at it.
class WalkJob {
 public:
  explicit WalkJob(DirectoryLedger& ledger) : ledger_(ledger) {}

  [[nodiscard]] DirectoryLedger& ledger() { return ledger_; }
  void Report(std::uint64_t errors, const std::string& first) {
    const std::lock_guard lock(mutex_);
    if (errors_ == 0) first_error_ = first;
    errors_ += errors;
  }
  // Files looked at so far, by all threads.
  void Counted(std::size_t files) { counted_.fetch_add(files, std::memory_order_relaxed); }
  [[nodiscard]] std::size_t counted() const { return counted_.load(std::memory_order_relaxed); }
  // When the walk is over.
  [[nodiscard]] std::uint64_t errors() const { return errors_; }
  [[nodiscard]] const std::string& first_error() const { return first_error_; }

 private:
  DirectoryLedger& ledger_;
  std::atomic<std::size_t> counted_ = 0;
  std::mutex mutex_;  // guards what follows, during the walk
  std::uint64_t errors_ = 0;
  std::string first_error_;
};

// A directory of a job that is still to be walked, with everything below it.
struct Subtree {
  WalkJob* job = nullptr;
  FileDescriptor directory;
  FileId id;
  DirectoryKey key = 0;
};

}  // namespace jettison::disk_usage
