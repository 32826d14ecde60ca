#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/model/summary.h"
#include "core/model/threshold.h"
#include "core/units/duration.h"
#include "core/units/once.h"
#include "core/units/result.h"
#include "kernel/filesystem/filesystem.h"
#include "kernel/mounts/mount_info.h"
#include "machine/log/log.h"
#include "machine/loop/job_queue.h"
#include "ports/clock.h"
#include "ports/image_store.h"
#include "ports/mailbox.h"

namespace jettison {

// Paths on the file systems that a node's files lie on.
struct DiskPlaces {
  std::string node;        // the node's own files: nodefs
  std::string images;      // where the runtime says its images are; empty: it has none
  std::string containers;  // where writable layers are; empty: beside the images
};

// "one file system holds everything" and the like, for people.
[[nodiscard]] std::string Describe(DiskLayout layout);

// A layout with the paths to measure its file systems by.
struct DiskSurvey {
  DiskLayout layout;
  std::string image_fs;             // a path on imagefs; empty: it is nodefs
  std::string container_fs;         // a path on containerfs; empty: it is nodefs
  std::vector<std::string> faults;  // places that cannot be told apart, a sentence each
  friend bool operator==(const DiskSurvey&, const DiskSurvey&) = default;
};
// Looks at the places as they are mounted now, and waits for no file system that may not answer. An
// unknown place of images counts as on nodefs, an unknown place of writable layers as with the
// images. Writable layers apart from the images are a split file system even if the images lie on
// nodefs. (kubelet 1.36: Provider.HasDedicatedImageFs; IsContainerFsSeparateFromImageFs, which
// compares names of mount points)
[[nodiscard]] DiskSurvey SurveyDisks(const DiskPlaces& places);

// Says in the log what was found.
void LogSurvey(const DiskSurvey& survey, const Log& log);

// Reads how full file systems are. Local file systems are read directly. Network file systems and
// FUSE are asked beside the loop, and count as unknown while they hang.
class DiskStatsReader {
 public:
  using Ask = std::function<Result<FsStats>(const std::string& path)>;
  // The first answer of a file system that is not local is waited for so long, and only that.
  static constexpr Duration kFirstWait = std::chrono::milliseconds(100);
  // Where a question has no answer for so long, there are no figures.
  static constexpr Duration kPatience = std::chrono::seconds(1);

  explicit DiskStatsReader(std::string mounts = "/proc/self/mountinfo", Ask ask = ReadFilesystem);

  // Reads the mounts again. That takes milliseconds beside hundreds of mounts, so it is for the end
  // of a full pass.
  void TakeMounts();
  // The figures of now, or the last answer of a file system that is not local, whose time is that
  // of the question. kDeadlineExceeded: there is no answer. A thread that hangs is left behind when
  // this object is destroyed. kUnavailable: there is no thread yet.
  [[nodiscard]] Result<FsStats> Read(const std::string& path, Instant now);

 private:
  // A file system that may hang.
  struct Slow {
    JobQueue questions{Threads::kSpare, AtEnd::kLeave};
    LateReading<Result<FsStats>> answer{
        [this](std::function<void()> work) { questions.Do(std::move(work)); }};
    Instant asked_at;
    bool is_first = true;  // the question that comes next
    std::optional<Result<FsStats>> last;

    void TakeAnswer(Instant now);
  };
  [[nodiscard]] Result<FsStats> ReadSlow(const std::string& path, Instant now);
  [[nodiscard]] bool AnswersAtOnce(const std::string& path);

  std::string mounts_file_;
  Ask ask_;
  std::vector<kernel::Mount> mounts_;                 // as last read
  std::map<std::string, bool, std::less<>> at_once_;  // by path, as of these mounts
  std::map<std::string, Slow, std::less<>> slow_;
};

// Asks the runtime every 10 s where its images are: it may have been started again with another
// root. The last answer holds while it does not answer. Each question is answered within a few
// seconds, even if the runtime hangs. Nothing here waits.
class ImagePlaces {
 public:
  // `found` is called with each answer.
  ImagePlaces(ImageStore& images, const Clock& clock, const Log& log,
              std::function<void(const StorageFolders&)> found)
      : images_(images), clock_(clock), log_(log), found_(std::move(found)) {}

  // How long the first answer may take before it counts as late.
  static constexpr Duration kPatience = std::chrono::milliseconds(50);

  // `answered` is called after the first answer, whatever it is; `late`, at most once and before
  // it, when it does not come within kPatience.
  void Ask(std::function<void()> answered, std::function<void()> late = nullptr);
  void Advance(Instant now);
  [[nodiscard]] std::optional<Instant> NextDeadline() const {
    return late_ ? late_at_ : next_;  // while the first answer is awaited, nothing else is due
  }

 private:
  void Take(const Result<StorageFolders>& folders);

  ImageStore& images_;
  const Clock& clock_;
  const Log& log_;
  std::function<void(const StorageFolders&)> found_;
  bool is_known_ = false;
  std::optional<Instant> next_;  // absent: it is being asked
  std::function<void()> late_;   // null: nobody is to be told
  Instant late_at_;
  Once say_unknown_;
};

}  // namespace jettison
