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
#include "ports/file_descriptor.h"

namespace jettison {

// One file system whose figures may never come: it is asked on a thread of its own, which is there
// from the beginning.
class SlowFilesystem {
 public:
  using Ask = std::function<Result<FsStats>(const std::string& path)>;
  SlowFilesystem(const std::string& path, Ask ask);

  // Asks now, and waits for the answer so long. kDeadlineExceeded where none comes; as long as that
  // question is not answered no other one is asked and nobody waits, so that a file system that
  // hangs costs one deadline. Its thread is left behind when this object goes. kUnavailable as long
  // as there is no thread.
  [[nodiscard]] Result<FsStats> ReadWithin(Duration deadline);

 private:
  struct Question;
  std::string path_;
  Ask ask_;
  std::shared_ptr<Question> open_;  // asked, not answered in time
  BackgroundThread thread_;
};

// Reads how full file systems are. Local ones answer at once and are asked directly; network ones,
// and those of a program, are waited for only so long and count as unknown while they hang.
class DiskStatsReader {
 public:
  static constexpr Duration kDeadline = std::chrono::milliseconds(100);

  explicit DiskStatsReader(std::string mounts = "/proc/self/mountinfo");

  [[nodiscard]] Result<FsStats> Read(const std::string& path);

 private:
  [[nodiscard]] bool MountsChanged();
  [[nodiscard]] bool AnswersAtOnce(const std::string& path);

  std::string mounts_;
  FileDescriptor mounts_fd_;  // the kernel marks it when a mount comes or goes
  std::map<std::string, bool, std::less<>> at_once_;  // by path, as of the present mounts
  std::map<std::string, SlowFilesystem, std::less<>> slow_;
};

}  // namespace jettison
