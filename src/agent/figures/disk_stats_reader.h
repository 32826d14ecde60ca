#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
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
  SlowFilesystem(const std::string& path, Ask ask);

  // Reads the figures, and waits for them until `deadline` has passed. Their time is that of the
  // question. kDeadlineExceeded: they did not arrive. While that reading hangs, calls fail at once,
  // so that a file system that hangs costs only one deadline. A thread that hangs is left behind
  // when this object is destroyed. kUnavailable: there is no thread yet.
  [[nodiscard]] Result<FsStats> ReadWithin(Duration deadline, Instant now);
  // Returns the last answer, and asks for the next one. Never waits. The time of the figures is
  // that of their question, so figures that were returned before are recognized by it.
  // kDeadlineExceeded: a call of ReadWithin has waited in vain, and there is no answer yet.
  // kUnavailable: there is no thread yet, or no question has been answered.
  [[nodiscard]] Result<FsStats> LastAnswer(Instant now);

 private:
  struct Question;
  void TakeAnswer();
  [[nodiscard]] Result<void> AskUnlessAsked(Instant now);
  [[nodiscard]] bool IsLate() const { return open_ != nullptr && waited_; }
  [[nodiscard]] Error Late() const;

  std::string path_;
  Ask ask_;
  std::shared_ptr<Question> open_;  // asked, not answered yet
  bool waited_ = false;             // for that answer, in vain
  std::optional<Result<FsStats>> last_;
  JobQueue questions_{Threads::kSpare, AtEnd::kLeave};
};

// Reads how full file systems are. Local file systems are read directly. Network file systems and
// FUSE are read with a deadline, and count as unknown while they hang.
class DiskStatsReader {
 public:
  static constexpr Duration kDeadline = std::chrono::milliseconds(100);

  explicit DiskStatsReader(std::string mounts = "/proc/self/mountinfo");

  // Reads the mounts again if any has changed. That takes milliseconds beside hundreds of mounts,
  // and a pod that starts is a mount, so it is for the end of a full pass.
  void TakeMounts();
  // The figures of now. It waits for a file system that is not local, kDeadline at most.
  [[nodiscard]] Result<FsStats> Read(const std::string& path, Instant now);
  // As Read, but the figures of a file system that is not local are its last answer.
  [[nodiscard]] Result<FsStats> ReadAtOnce(const std::string& path, Instant now);

 private:
  [[nodiscard]] bool MountsChanged();
  [[nodiscard]] bool AnswersAtOnce(const std::string& path);
  [[nodiscard]] SlowFilesystem& SlowAt(const std::string& path);

  std::string mounts_file_;
  FileDescriptor mounts_fd_;  // the kernel marks it when a mount comes or goes
  bool stale_ = true;
  std::vector<kernel::Mount> mounts_;                 // as last read
  std::map<std::string, bool, std::less<>> at_once_;  // by path, as of these mounts
  std::map<std::string, SlowFilesystem, std::less<>> slow_;
};

}  // namespace jettison
