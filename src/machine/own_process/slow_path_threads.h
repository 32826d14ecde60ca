#pragma once

#include <map>
#include <memory>
#include <string>

#include "machine/loop/job_queue.h"
#include "ports/slow_paths.h"

namespace jettison {

// Runs work on paths that may never answer. Work on one file system is done in its order, so one
// that does not answer keeps one thread; other work on it waits. Where two of them do not answer,
// other work begins when they have been given up (CareForThreads).
class SlowPathThreads : public SlowPaths {
 public:
  [[nodiscard]] bool MayHang(const std::string& path) const override;
  void Do(const std::string& path, const std::shared_ptr<Work>& work) override;

 private:
  std::map<std::string, JobQueue> by_file_system_;
};

}  // namespace jettison
