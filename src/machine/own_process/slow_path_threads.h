#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "agent/loop/background_thread.h"
#include "ports/slow_paths.h"

namespace jettison {

// Runs work on paths that may never answer, on threads that are started at the beginning. One file
// system occupies at most one thread; other work on it waits. A file system that does not answer
// keeps its thread, and when all threads are occupied, no other work is done. Threads that still
// hang are abandoned at the end.
class SlowPathThreads : public SlowPaths {
 public:
  static constexpr std::size_t kThreads = 3;

  SlowPathThreads();

  [[nodiscard]] bool MayHang(const std::string& path) const override;
  void Do(const std::string& path, const std::shared_ptr<Work>& work) override;

 private:
  struct Shared;
  std::shared_ptr<Shared> shared_;
  std::vector<std::unique_ptr<BackgroundThread>> threads_;
};

}  // namespace jettison
