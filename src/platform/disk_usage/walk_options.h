#pragma once

#include <atomic>
#include <functional>

namespace jettison {

// How a walk behaves towards others.
struct WalkOptions {
  const std::atomic<bool>* cancelled = nullptr;  // the walk ends early when it becomes true
  // Called by each thread of the walk about every thousand files, and at least once a directory:
  // whoever wants the walk to be slower sleeps in it. May be empty.
  std::function<void()> breathe = nullptr;
};

}  // namespace jettison
