#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "agent/loop/background_thread.h"
#include "core/model/summary.h"
#include "core/units/duration.h"
#include "core/units/result.h"
#include "kernel/mounts/mount_info.h"
#include "ports/file_descriptor.h"

namespace jettison {

// Reads the figures of one file system that may hang, on a thread of its own, which is started with
// this object.
class SlowFilesystem {
 public:
  using Ask = std::function<Result<FsStats>(const std::string& path)>;
  SlowFilesystem(const std::string& path, Ask ask);

  // Reads the figures, and waits for them until `deadline` has passed. kDeadlineExceeded: they did
  // not arrive. While that reading hangs, calls fail at once, so that a file system that hangs
  // costs only one deadline. A thread that hangs is left behind when this object is destroyed.
  // kUnavailable: there is no thread yet.
  [[nodiscard]] Result<FsStats> ReadWithin(Duration deadline);

 private:
  struct Question;
  std::string path_;
  Ask ask_;
  std::shared_ptr<Question> open_;  // asked, not answered in time
  BackgroundThread thread_;
};

// Reads how full file systems are. Local file systems are read directly. Network file systems and
// FUSE are read with a deadline, and count as unknown while they hang.
class DiskStatsReader {
 public:
  static constexpr Duration kDeadline = std::chrono::milliseconds(100);

  explicit DiskStatsReader(std::string mounts = "/proc/self/mountinfo");

  // Reads the mounts again if any has changed. That takes milliseconds beside thousands of mounts,
  // so it is not part of Read: a pass between a crossing and a signal calls that.
  void TakeMounts();
  [[nodiscard]] Result<FsStats> Read(const std::string& path);

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
