#include "agent/disk/disk_measurer.h"

#include <algorithm>
#include <functional>
#include <utility>

#include "kernel/filesystem/filesystem.h"
#include "kernel/project_quota/project_quota.h"

namespace jettison {
namespace {

// System calls of a walk beside those for its files.
constexpr std::uint64_t kCallsOfATree = 8;

// When what was done for a tree at `done` is due again: different for different paths, so that what
// was done together is spread over half the period.
Instant DueAgain(const std::string& path, Instant done, Duration period) {
  constexpr std::size_t kSteps = 1024;
  const auto step = static_cast<Duration::rep>(std::hash<std::string>()(path) % kSteps);
  const Duration half = period / 2;
  return done + period - half * step / static_cast<Duration::rep>(kSteps);
}

}  // namespace

DiskMeasurer::DiskMeasurer(const Clock& clock, WalkOptions options, DiskMeasurerSettings settings,
                           std::shared_ptr<DiskSoFar> so_far)
    : clock_(clock),
      settings_(settings),
      so_far_(std::move(so_far)),
      options_(std::move(options)),
      walk_(options_) {}

std::vector<std::string> DiskMeasurer::TakeNotes() {
  return std::exchange(notes_, {});
}

void DiskMeasurer::CatchUp(Filesystem& filesystem) {
  if (!filesystem.events) return;
  filesystem.caught_up = clock_.Now();
  const FilesystemEvents::Changes changes = filesystem.events->Take();
  if (changes.lost) {
    filesystem.trees.ForgetAll();
    if (!std::exchange(said_overflow_, true)) {
      notes_.emplace_back(
          "the kernel's queue of changes on a file system overflowed, so all files of pods there "
          "are read again; raise fs.fanotify.max_queued_events if this happens often");
    }
    return;
  }
  filesystem.trees.Mark(changes.directories);
}

void DiskMeasurer::BeginPass() {
  ++pass_;
  for (auto& [device, filesystem] : filesystems_) {
    filesystem.calls = 0;
    CatchUp(filesystem);
  }
}

void DiskMeasurer::EndPass() {
  std::erase_if(filesystems_, [this](const auto& entry) { return entry.second.pass != pass_; });
  for (auto& [device, filesystem] : filesystems_) {
    DecideWatching(filesystem);
    for (const auto& [path, asked] : asked_for_) {
      if (asked.pass != pass_) filesystem.trees.Forget(path);
    }
  }
  std::erase_if(asked_for_, [this](const auto& entry) { return entry.second.pass != pass_; });
}

// A watched file system stays watched until walking costs half as much, because to begin again
// takes a walk.
void DiskMeasurer::DecideWatching(Filesystem& filesystem) const {
  const std::uint64_t enough =
      filesystem.events ? settings_.worth_watching / 2 : settings_.worth_watching;
  filesystem.wanted = filesystem.calls >= enough;
  if (filesystem.wanted || !filesystem.events) return;
  filesystem.events.reset();
  filesystem.trees.ForgetAll();
}

DiskMeasurer::Filesystem& DiskMeasurer::FilesystemOf(const std::string& path, dev_t device) {
  auto place = filesystems_.try_emplace(device, options_).first;
  // Another file system with the same device number may have replaced one that was unmounted.
  const bool is_first = place->second.pass != pass_;
  if (is_first && place->second.events && !place->second.events->Covers(path)) {
    filesystems_.erase(place);
    place = filesystems_.try_emplace(device, options_).first;
  }
  place->second.pass = pass_;
  return place->second;
}

// Whether changes are reported from now on; begins to watch if that is wanted. Each file system is
// named once, whichever of its paths is tried in whichever pass.
bool DiskMeasurer::Watch(Filesystem& filesystem, const std::string& path) {
  if (filesystem.events || !filesystem.wanted) return filesystem.events.has_value();
  auto events = FilesystemEvents::Of(path);
  if (!events) {
    if (events.error().code == ErrorCode::kNotFound) return false;  // the tree has just gone
    if (!std::exchange(filesystem.said, true)) {
      notes_.push_back(
          "changes on a file system cannot be watched, so all files of pods there are read each "
          "time: " +
          events.error().message);
    }
    return false;
  }
  filesystem.events = std::move(*events);
  return true;
}

// What the file system itself has counted, unless a walk has found more: outside of user
// namespaces, the owner of a file may remove it from its project.
std::optional<FsUsage> DiskMeasurer::CountedUse(const std::string& path, Instant& as_of) {
  const auto project = ProjectOf(path);
  if (!project || !*project) return std::nullopt;
  const Instant now = clock_.Now();
  const auto usage = ReadProjectUsage(path, **project);
  if (!usage) return std::nullopt;
  Asked& counted = asked_for_[path];
  counted.pass = pass_;
  if (counted.incomplete) return std::nullopt;
  as_of = std::min(as_of, now);
  const Instant next = DueAgain(path, now, settings_.full_walk_period);
  if (now < counted.next_walk.value_or(next)) {
    counted.next_walk = counted.next_walk.value_or(next);
    return *usage;
  }
  counted.next_walk = next;
  const FsUsage walked = WalkWhole(path, as_of);
  const auto after = ReadProjectUsage(path, **project);
  if (!after || walked.inodes_used <= std::max(usage->inodes_used, after->inodes_used)) {
    return *usage;
  }
  counted.incomplete = true;
  notes_.push_back(path +
                   ": the directory holds more than its project quota counts, so the agent no "
                   "longer uses the quota");
  return walked;
}

FsUsage DiskMeasurer::WalkWhole(const std::string& path, Instant& as_of) {
  as_of = std::min(as_of, clock_.Now());
  ++full_walks_;
  return Found(walk_.Walk(path));
}

FsUsage DiskMeasurer::Found(const Result<TreeUsage>& walked) {
  if (walked) {
    unread_ = unread_ || walked->errors > 0;
    return walked->usage;
  }
  unread_ = unread_ || walked.error().code != ErrorCode::kNotFound;
  return {};
}

FsUsage DiskMeasurer::Follow(const std::string& path, Filesystem& filesystem, Instant& as_of) {
  const Instant now = clock_.Now();
  Asked& asked = asked_for_[path];
  asked.pass = pass_;
  if (asked.next_walk && now < *asked.next_walk) {
    // A failure is ignored: a cancelled walk has forgotten the tree, and the whole pass is over.
    static_cast<void>(filesystem.trees.Update(path));
    if (const auto usage = filesystem.trees.UsageOf(path)) {
      as_of = std::min(as_of, filesystem.caught_up);
      return *usage;
    }
    so_far_->Restart();
  }
  as_of = std::min(as_of, now);
  ++full_walks_;
  asked.next_walk = DueAgain(path, now, settings_.full_walk_period);
  return Found(filesystem.trees.Walk(path));
}

FsUsage DiskMeasurer::MeasureTree(const std::string& path, TreeKind kind, Instant& as_of) {
  if (kind == TreeKind::kVolume) {
    const auto usage = CountedUse(path, as_of);
    counted_by_project_ = counted_by_project_ || usage;
    if (usage) return *usage;
  }
  const bool announced =
      kind == TreeKind::kUpperLayer ? settings_.overlay_announced : kind != TreeKind::kMemory;
  if (!announced) return WalkWhole(path, as_of);
  const auto device = DeviceOf(path);
  if (!device) return WalkWhole(path, as_of);
  Filesystem& filesystem = FilesystemOf(path, *device);
  const FsUsage usage =
      Watch(filesystem, path) ? Follow(path, filesystem, as_of) : WalkWhole(path, as_of);
  filesystem.calls += kCallsOfATree + usage.inodes_used.value_or(0);
  return usage;
}

PodDiskUse DiskMeasurer::Measure(const PodDisk& disk) {
  PodDiskUse use = FiguresOf(disk);
  use.measured_at = clock_.Now();
  so_far_->Begin(disk, use);
  unread_ = false;
  counted_by_project_ = false;
  std::size_t figure = 0;
  const auto measure = [&](const std::string& path, TreeKind kind) {
    FsUsage& usage = FigureOf(use, figure);
    so_far_->Open(figure++);
    if (!path.empty()) usage = MeasureTree(path, kind, use.measured_at);
    so_far_->Close(usage);
  };
  for (const auto& container : disk.containers) {
    measure(container.layer, TreeKind::kUpperLayer);
    measure(container.logs, TreeKind::kLogs);
  }
  for (const auto& volume : disk.empty_dirs) {
    measure(volume.path, volume.memory ? TreeKind::kMemory : TreeKind::kVolume);
  }
  use.total = TotalOf(use, disk);
  use.partial = unread_;
  return use;
}

}  // namespace jettison
