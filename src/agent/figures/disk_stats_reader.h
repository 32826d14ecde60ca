#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/model/summary.h"
#include "core/units/duration.h"
#include "core/units/result.h"
#include "kernel/mounts/mount_info.h"
#include "machine/loop/job_queue.h"
#include "ports/file_descriptor.h"

namespace jettison {

// Reads the figures of one file system that may hang, beside the loop.
class SlowFilesystem {
 public:
  using Ask = std::function<Result<FsStats>(const std::string& path)>;
  // The first answer is waited for so long, and only that.
  static constexpr Duration kFirstWait = std::chrono::milliseconds(100);
  // Where a question has no answer for so long, there are no figures.
  static constexpr Duration kPatience = std::chrono::seconds(1);

  SlowFilesystem(const std::string& path, Ask ask) : path_(path), ask_(std::move(ask)) {}

  // Returns the last answer, and asks for the next one. The time of the figures is that of their
  // question, so figures that were returned before are recognized by it. kDeadlineExceeded: there
  // is no answer. A thread that hangs is left behind when this object is destroyed. kUnavailable:
  // there is no thread yet.
  [[nodiscard]] Result<FsStats> Read(Instant now);

 private:
  struct Question;
  void TakeAnswer(Duration wait, Instant now);

  std::string path_;
  Ask ask_;
  std::shared_ptr<Question> open_;  // asked, not answered yet
  Instant asked_at_;
  bool is_first_ = true;
  std::optional<Result<FsStats>> last_;
  JobQueue questions_{Threads::kSpare, AtEnd::kLeave};
};

// Reads how full file systems are. Local file systems are read directly. Network file systems and
// FUSE are asked beside the loop, and count as unknown while they hang.
class DiskStatsReader {
 public:
  explicit DiskStatsReader(std::string mounts = "/proc/self/mountinfo");

  // Reads the mounts again if any has changed. That takes milliseconds beside hundreds of mounts,
  // and a pod that starts is a mount, so it is for the end of a full pass.
  void TakeMounts();
  // The figures of now, or the last answer of a file system that is not local.
  [[nodiscard]] Result<FsStats> Read(const std::string& path, Instant now);

 private:
  [[nodiscard]] bool MountsChanged();
  [[nodiscard]] bool AnswersAtOnce(const std::string& path);

  std::string mounts_file_;
  FileDescriptor mounts_fd_;  // the kernel marks it when a mount comes or goes
  bool stale_ = true;
  std::vector<kernel::Mount> mounts_;                 // as last read
  std::map<std::string, bool, std::less<>> at_once_;  // by path, as of these mounts
  std::map<std::string, SlowFilesystem, std::less<>> slow_;
};

}  // namespace jettison
