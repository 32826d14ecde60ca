#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "agent/dependencies/dependencies.h"
#include "agent/disk/disk_figures.h"
#include "core/units/duration.h"
#include "core/units/result.h"
#include "kernel/disk_usage/disk_trees.h"
#include "kernel/fs_events/filesystem_events.h"
#include "ports/clock.h"
#include "ports/container_runtime.h"

namespace jettison {

struct DiskMeasurerSettings {
  // A remembered tree is walked again after half of this time at the earliest and after this time
  // at the latest, because the kernel does not announce writes through memory mappings.
  Duration full_walk_period = std::chrono::minutes(5);
  // A file system is watched for changes only if walking its trees takes at least this many system
  // calls (one for each file, eight for each tree). Below that, walking costs less than the
  // notifications cost the programs that write there.
  std::uint64_t worth_watching = 10'000;
  // Whether changes through an overlay are announced on the file system of its upper layer.
  bool overlay_announced = KernelAnnouncesOverlayWrites();
};

// Measures the disk use of pods, pass by pass. For a folder with a quota project, the file system's
// own count is read, until a walk, every few minutes, finds more: a file can be taken out of its
// project. Where the kernel reports which directories of a file system have changed, trees are
// remembered and only these directories are read again. Otherwise, and every few minutes, trees are
// walked whole. Used by one thread.
class DiskMeasurer {
 public:
  // `so_far` is told of each pod while it is measured; its progress is to be that of the options.
  DiskMeasurer(const Clock& clock, WalkOptions options, DiskMeasurerSettings settings = {},
               std::shared_ptr<DiskSoFar> so_far = std::make_shared<DiskSoFar>());

  // Asks what has changed in the remembered trees; reads no file. The figures of this pass include
  // every change before this call.
  void BeginPass();
  // The figures of files that do not exist are absent, not zero.
  [[nodiscard]] PodDiskUse Measure(const PodDisk& disk);
  // Whether the file system itself has counted a volume of the pod that was measured last. Its
  // count includes deleted files that are held open.
  [[nodiscard]] bool counted_by_project() const { return counted_by_project_; }
  // Forgets everything that was not measured in this pass.
  void EndPass();
  // Sentences for the log, since the last call.
  [[nodiscard]] std::vector<std::string> TakeNotes();
  // How many trees were walked whole, ever.
  [[nodiscard]] std::uint64_t full_walks() const { return full_walks_; }

 private:
  enum class TreeKind {
    kLogs,
    kUpperLayer,  // written to through an overlay
    kVolume,      // which may be a project
    kMemory,      // a tmpfs of its own
  };
  struct Filesystem {
    explicit Filesystem(const WalkOptions& options) : trees(options, TreeLimits{}) {}
    bool wanted = false;                     // changes should be watched
    bool said = false;                       // that they cannot be
    std::optional<FilesystemEvents> events;  // present: changes are watched
    DiskTrees trees;
    Instant caught_up;
    std::uint64_t pass = 0;   // the last one that asked for it
    std::uint64_t calls = 0;  // that walking the trees of this pass would take
  };
  struct Asked {
    std::uint64_t pass = 0;            // the last one that asked for it
    std::optional<Instant> next_walk;  // of a tree that is remembered, or of one that has a project
    bool incomplete = false;           // there is more in it than its project holds
  };
  [[nodiscard]] std::optional<FsUsage> CountedUse(const std::string& path, Instant& as_of);
  [[nodiscard]] FsUsage MeasureTree(const std::string& path, TreeKind kind, Instant& as_of);
  [[nodiscard]] Filesystem& FilesystemOf(const std::string& path, dev_t device);
  [[nodiscard]] bool Watch(Filesystem& filesystem, const std::string& path);
  [[nodiscard]] FsUsage WalkWhole(const std::string& path, Instant& as_of);
  // The use of a tree whose changes are watched.
  [[nodiscard]] FsUsage Follow(const std::string& path, Filesystem& filesystem, Instant& as_of);
  // The use that a walk has found. Sets `unread_` if it could not read everything.
  [[nodiscard]] FsUsage Found(const Result<TreeUsage>& walked);
  void DecideWatching(Filesystem& filesystem) const;
  void CatchUp(Filesystem& filesystem);

  const Clock& clock_;
  DiskMeasurerSettings settings_;
  const std::shared_ptr<DiskSoFar> so_far_;
  const WalkOptions options_;
  DiskTrees walk_;  // of what is not remembered
  std::map<dev_t, Filesystem> filesystems_;
  std::unordered_map<std::string, Asked> asked_for_;  // paths of which something is kept
  std::vector<std::string> notes_;
  bool said_overflow_ = false;
  std::uint64_t pass_ = 0;  // counts up
  std::uint64_t full_walks_ = 0;
  bool unread_ = false;  // something of the pod that is being measured
  bool counted_by_project_ = false;
};

}  // namespace jettison
