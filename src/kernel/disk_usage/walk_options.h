#pragma once

#include <atomic>
#include <cstdint>
#include <functional>

namespace jettison {

// What a walk has found so far: never more than there is, since files with several names are left
// out. Safe on any thread.
struct WalkProgress {
  std::atomic<std::uint64_t> bytes = 0;
  std::atomic<std::uint64_t> inodes = 0;

  void Found(std::uint64_t more_bytes, std::uint64_t more_inodes) {
    bytes.fetch_add(more_bytes, std::memory_order_relaxed);
    inodes.fetch_add(more_inodes, std::memory_order_relaxed);
  }
};

// How a walk is cancelled, slowed down and observed.
struct WalkOptions {
  const std::atomic<bool>* cancelled = nullptr;  // the walk ends early when it becomes true
  // Called about every thousand files, and at least once a directory. It may sleep to slow the walk
  // down. May be empty.
  std::function<void()> breathe = nullptr;
  std::atomic<std::uint64_t>* directories = nullptr;  // counts those read, where it is not null
  WalkProgress* progress = nullptr;                   // counts what is found, where it is not null
};

}  // namespace jettison
