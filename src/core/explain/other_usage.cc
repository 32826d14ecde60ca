#include "core/explain/other_usage.h"

#include <algorithm>
#include <limits>
#include <vector>

#include "core/decide/ranking.h"

namespace jettison {
namespace {

using Amount = std::optional<std::uint64_t>;

void Add(std::int64_t delta, Amount& amount) {
  const std::int64_t sum = static_cast<std::int64_t>(amount.value_or(0)) + delta;
  amount = static_cast<std::uint64_t>(std::max<std::int64_t>(sum, 0));
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
  const Amount kept = part;
  Add(1, part);
  const bool counts = RankOf(pod, signal, layout).negated_excess != before;
  part = kept;
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

void TakeFrom(std::int64_t& less, FsUsage* usage) {
  if (usage == nullptr || !usage->used_bytes) return;
  const std::int64_t step = std::min(less, static_cast<std::int64_t>(*usage->used_bytes));
  Add(-step, usage->used_bytes);
  less -= step;
}

FsUsage* Get(std::optional<FsUsage>& usage) {
  return usage ? &*usage : nullptr;
}

}  // namespace

std::optional<PodStats> WithUsage(const ActivePod& pod, Signal signal, DiskLayout layout,
                                  std::int64_t delta) {
  if (pod.stats == nullptr) return std::nullopt;
  PodStats stats = *pod.stats;
  bool changed = false;
  switch (ResourceOf(signal)) {
    case Resource::kMemory:
      changed = stats.memory_working_set_bytes.has_value();
      Add(delta, stats.memory_working_set_bytes);
      break;
    case Resource::kSwap:
      changed = stats.swap_bytes.has_value();
      Add(delta, stats.swap_bytes);
      break;
    case Resource::kPids:
      changed = stats.process_count.has_value();
      Add(delta, stats.process_count);
      break;
    case Resource::kIo: changed = ChangeShare(delta, stats.io_some_avg10); break;
    case Resource::kEphemeralStorage:
    case Resource::kInodes: changed = ChangeFiles(*pod.facts, signal, layout, delta, stats); break;
  }
  if (!changed) return std::nullopt;
  return stats;
}

PodStats WithLessStorage(const PodStats& stats, const StorageLimitFacts& limit, std::int64_t less) {
  PodStats changed = stats;
  std::int64_t of_pod = less;
  TakeFrom(of_pod, Get(changed.ephemeral_storage));
  if (limit.kind == StorageLimitKind::kEmptyDir) {
    const auto volume = std::ranges::find(changed.volumes, limit.name, &VolumeStats::name);
    if (volume != changed.volumes.end()) TakeFrom(less, &volume->usage);
  } else if (limit.kind == StorageLimitKind::kContainer) {
    const auto container = std::ranges::find(changed.containers, limit.name, &ContainerStats::name);
    if (container == changed.containers.end()) return changed;
    TakeFrom(less, Get(container->logs));
    TakeFrom(less, Get(container->rootfs));
  }
  return changed;
}

}  // namespace jettison
