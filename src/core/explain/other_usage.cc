#include "core/explain/other_usage.h"

#include <algorithm>
#include <limits>
#include <vector>

#include "core/decide/ranking.h"
#include "core/model/pressure.h"
#include "core/thresholds/threshold_settings.h"

namespace jettison {
namespace {

using Amount = std::optional<std::uint64_t>;

void Add(std::int64_t delta, Amount& amount) {
  const std::int64_t sum = static_cast<std::int64_t>(amount.value_or(0)) + delta;
  amount = static_cast<std::uint64_t>(std::max<std::int64_t>(sum, 0));
}

// Adds to an amount that was measured.
bool AddTo(Amount& amount, std::int64_t delta) {
  if (!amount) return false;
  Add(delta, amount);
  return true;
}

Amount& PartOf(FsUsage& usage, Resource resource) {
  return resource == Resource::kInodes ? usage.inodes_used : usage.used_bytes;
}

// Every figure of the pod's files.
std::vector<Amount*> FilesOf(PodStats& stats, Resource resource) {
  std::vector<Amount*> parts;
  for (VolumeStats& volume : stats.volumes) parts.push_back(&PartOf(volume.usage, resource));
  for (ContainerStats& container : stats.containers) {
    if (container.rootfs) parts.push_back(&PartOf(*container.rootfs, resource));
    if (container.logs) parts.push_back(&PartOf(*container.logs, resource));
  }
  return parts;
}

// The ranking knows which files count, so it is asked whether one more byte would matter.
bool Counts(const PodFacts& facts, const PodStats& stats, Signal signal, DiskLayout layout,
            Amount& part) {
  const ActivePod pod{&facts, &stats};
  const Nanos before = RankOf(pod, signal, layout).negated_excess;
  const Amount had = part;
  Add(1, part);
  const bool counts = RankOf(pod, signal, layout).negated_excess != before;
  part = had;
  return counts;
}

bool ChangeFiles(const PodFacts& facts, Signal signal, DiskLayout layout, std::int64_t delta,
                 PodStats& stats) {
  bool any = false;
  for (Amount* part : FilesOf(stats, ResourceOf(signal))) {
    if (!Counts(facts, stats, signal, layout, *part)) continue;
    any = true;
    const auto had = static_cast<std::int64_t>(part->value_or(0));
    const std::int64_t step = std::max(delta, -had);
    Add(step, *part);
    delta -= step;
    if (delta == 0) break;
  }
  return any;
}

bool ChangeShare(std::int64_t delta, std::optional<std::int32_t>& share) {
  if (!share) return false;
  const std::int64_t sum =
      std::clamp<std::int64_t>(*share + delta, 0, std::numeric_limits<std::int32_t>::max());
  share = static_cast<std::int32_t>(sum);
  return true;
}

// Takes up to `less` from the usage; the result is what was taken.
std::int64_t TakeFrom(std::int64_t less, FsUsage& usage) {
  const auto had = static_cast<std::int64_t>(usage.used_bytes.value_or(0));
  const std::int64_t taken = std::min(less, had);
  if (taken > 0) Add(-taken, usage.used_bytes);
  return taken;
}

// The signal whose memory or file system this one tells of.
Signal SourceOf(Signal signal, DiskLayout layout) {
  if (RowOf(signal).of_pods) return Signal::kMemoryAvailable;
  if (!IsOfDisk(signal)) return signal;
  return layout.dedicated_image_fs ? ContainerFsSource(signal, layout)
                                   : OnFileSystem(FileSystem::kNode, signal);
}

}  // namespace

bool UseMore(const PodFacts& facts, Signal signal, DiskLayout layout, std::int64_t more,
             PodStats& stats) {
  if (const auto figure = FigureOf(ResourceOf(signal))) return AddTo(stats.*figure, more);
  if (IsOfDisk(signal)) return ChangeFiles(facts, signal, layout, more, stats);
  return ChangeShare(more, stats.io_some_avg10);
}

void MakeAvailable(Signal signal, DiskLayout layout, std::int64_t more, Observations& seen) {
  for (const Signal each : kAllSignals) {
    if (SourceOf(each, layout) != SourceOf(signal, layout) || !seen[each]) continue;
    seen[each]->available = std::min(seen[each]->available + more, seen[each]->capacity);
  }
}

FreedBytes UseLessStorage(const StorageLimitFacts& limit, std::int64_t less, PodStats& stats) {
  FreedBytes freed;
  const auto left = [&] { return less - freed.node_fs - freed.container_fs; };
  const bool of_pod = limit.kind == StorageLimitKind::kPod;
  // Of several figures of one name the last counts.
  for (auto volume = stats.volumes.rbegin(); volume != stats.volumes.rend(); ++volume) {
    const bool limited = limit.kind == StorageLimitKind::kEmptyDir && volume->name == limit.name;
    if (of_pod || limited) freed.node_fs += TakeFrom(left(), volume->usage);
  }
  for (ContainerStats& container : stats.containers) {
    const bool limited = limit.kind == StorageLimitKind::kContainer && container.name == limit.name;
    if (!of_pod && !limited) continue;
    if (container.logs) freed.node_fs += TakeFrom(left(), *container.logs);
    if (container.rootfs) freed.container_fs += TakeFrom(left(), *container.rootfs);
  }
  if (of_pod) freed.node_fs += left();
  if (stats.ephemeral_storage) TakeFrom(less, *stats.ephemeral_storage);
  return freed;
}

}  // namespace jettison
