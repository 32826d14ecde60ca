#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "agent/loop/background_thread.h"
#include "ports/slow_paths.h"

namespace jettison {

// Threads for paths that may never answer, there from the beginning. One file system keeps one of
// them: other work on it waits for that. What is silent keeps its thread until it answers; when all
// are kept nothing else is done. At the end they are left behind.
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
