#include "core/decide/ranking.h"

#include <algorithm>
#include <numeric>

#include "core/pods/deleted_files.h"
#include "core/units/quantity.h"

namespace jettison {
namespace {

// Which of a pod's files count under pressure on a file system.
struct MeasuredFiles {
  bool writable_layers = false;
  bool logs = false;
  bool local_volumes = false;
};

MeasuredFiles MeasuredFor(Signal signal, DiskLayout layout) {
  if (!layout.dedicated_image_fs) return {true, true, true};
  const bool images = signal == Signal::kImageFsAvailable || signal == Signal::kImageFsInodesFree;
  const bool node = signal == Signal::kNodeFsAvailable || signal == Signal::kNodeFsInodesFree;
  if (layout.dedicated_container_fs) return {!images, !images, !images};
  return {.writable_layers = !node, .logs = node, .local_volumes = node};
}

std::uint64_t Amount(const FsUsage& usage, Resource resource) {
  return (resource == Resource::kInodes ? usage.inodes_used : usage.used_bytes).value_or(0);
}
std::uint64_t Amount(const std::optional<FsUsage>& usage, Resource resource) {
  return usage ? Amount(*usage, resource) : 0;
}

std::uint64_t VolumeUsage(const ActivePod& pod, std::string_view name, Resource resource) {
  const auto& volumes = pod.stats->volumes;
  const auto found = std::find_if(volumes.begin(), volumes.end(),
                                  [&](const VolumeStats& volume) { return volume.name == name; });
  return found == volumes.end() ? 0 : Amount(found->usage, resource);
}

std::uint64_t WorkingSet(const ActivePod& pod) {
  return pod.stats->memory_working_set_bytes.value_or(0);
}

// The figures of a pod that was not measured.
RankFigures FiguresOf(const PodFacts& facts) {
  return {.priority = facts.priority};
}

RankKey KeyOf(const RankFigures& figures, const PodFacts& facts) {
  RankKey key;
  static_cast<RankFigures&>(key) = figures;
  key.uid = facts.pod.uid;
  return key;
}

[[gnu::always_inline]] inline RankFigures MemoryFiguresAt(const PodFacts& facts,
                                                          std::uint64_t working_set) {
  RankFigures figures = FiguresOf(facts);
  const Nanos usage = Nanos{static_cast<std::int64_t>(working_set)} * kNanosPerUnit;
  figures.within_request = usage <= facts.memory_request;
  figures.negated_excess = facts.memory_request - usage;
  return figures;
}

RankFigures PidFiguresAt(const PodFacts& facts, std::uint64_t tasks) {
  RankFigures figures = FiguresOf(facts);
  figures.negated_excess = -Nanos{tasks};
  return figures;
}

RankFigures Unknown(const PodFacts& facts) {
  RankFigures figures = FiguresOf(facts);
  figures.known = false;
  return figures;
}

[[gnu::always_inline]] inline RankFigures MemoryFigures(const ActivePod& pod) {
  if (pod.stats == nullptr) return Unknown(*pod.facts);
  return MemoryFiguresAt(*pod.facts, WorkingSet(pod));
}

RankFigures DiskFigures(const ActivePod& pod, Signal signal, DiskLayout layout) {
  if (pod.stats == nullptr) return Unknown(*pod.facts);
  RankFigures figures = FiguresOf(*pod.facts);
  const Resource resource = ResourceOf(signal);
  const auto usage = Nanos{FilesOf(pod, signal, layout).Sum()} * kNanosPerUnit;
  const Nanos request = resource == Resource::kInodes ? 0 : pod.facts->ephemeral_storage_request;
  figures.within_request = usage <= request;
  // The kubelet subtracts the ephemeral-storage request from inodes, too.
  figures.negated_excess = pod.facts->ephemeral_storage_request - usage;
  return figures;
}

// Swapped-out memory counts against the memory request, too. Among the pods that exceed it, the one
// that occupies the most swap is evicted first, whatever its working set is.
RankFigures SwapFigures(const ActivePod& pod) {
  RankFigures figures = FiguresOf(*pod.facts);
  figures.within_request = true;
  if (pod.stats == nullptr) return figures;
  if (!pod.stats->swap_bytes) return MemoryFiguresAt(*pod.facts, WorkingSet(pod));
  const Nanos swap = Nanos{static_cast<std::int64_t>(*pod.stats->swap_bytes)} * kNanosPerUnit;
  const Nanos resident = Nanos{static_cast<std::int64_t>(WorkingSet(pod))} * kNanosPerUnit;
  figures.within_request = swap == 0 || swap + resident <= pod.facts->memory_request;
  figures.negated_excess = -swap;
  return figures;
}

bool GivesSwapBack(const ActivePod& pod) {
  if (pod.stats == nullptr) return false;
  return pod.stats->swap_bytes.value_or(WorkingSet(pod)) > 0;
}

// Hundredths of a percent of the time; zero where that is unknown.
std::int32_t IoPressure(const ActivePod& pod) {
  return pod.stats == nullptr ? 0 : pod.stats->io_some_avg10.value_or(0);
}

RankFigures IoFigures(const ActivePod& pod) {
  RankFigures figures = FiguresOf(*pod.facts);
  figures.within_request = IoPressure(pod) == 0;
  figures.negated_excess = -Nanos{IoPressure(pod)} * kNanosPerUnit;
  return figures;
}

// Among pods of one priority, those without stats are evicted first, whatever the process counts
// are.
RankFigures PidFigures(const ActivePod& pod) {
  constexpr Nanos kBeforeAnyCount = -(Nanos{1} << 64);
  if (pod.stats != nullptr) return PidFiguresAt(*pod.facts, pod.stats->process_count.value_or(0));
  RankFigures figures = FiguresOf(*pod.facts);
  figures.negated_excess = kBeforeAnyCount;
  return figures;
}

RankFigures FiguresOf(const ActivePod& pod, Signal signal, DiskLayout layout) {
  switch (ResourceOf(signal)) {
    case Resource::kMemory: return MemoryFigures(pod);
    case Resource::kSwap: return SwapFigures(pod);
    case Resource::kEphemeralStorage:
    case Resource::kInodes: return DiskFigures(pod, signal, layout);
    case Resource::kPids: return PidFigures(pod);
    case Resource::kIo: return IoFigures(pod);
  }
  __builtin_unreachable();
}

// The order of RankFigures in a form that is compared without branches, because the result of a
// comparison cannot be predicted, and a misprediction takes longer than everything else.
class Turn {
 public:
  explicit Turn(const RankFigures& figures)
      : group_(std::uint64_t{figures.known} << 33 | std::uint64_t{figures.within_request} << 32 |
               (static_cast<std::uint32_t>(figures.priority) ^ kSignBit)),
        negated_excess_(figures.negated_excess) {}

  [[nodiscard]] bool IsBefore(const Turn& other) const {
    const auto sooner = static_cast<unsigned>(group_ < other.group_);
    const auto alike = static_cast<unsigned>(group_ == other.group_);
    const auto more = static_cast<unsigned>(negated_excess_ < other.negated_excess_);
    return (sooner | (alike & more)) != 0;
  }

 private:
  static constexpr std::uint32_t kSignBit = std::uint32_t{1} << 31;

  std::uint64_t group_;
  Nanos negated_excess_;
};

}  // namespace

PodFiles FilesOf(const ActivePod& pod, Signal signal, DiskLayout layout) {
  const MeasuredFiles measured = MeasuredFor(signal, layout);
  const Resource resource = ResourceOf(signal);
  PodFiles files;
  for (const ContainerStats& container : pod.stats->containers) {
    if (measured.writable_layers) files.layers += Amount(container.rootfs, resource);
    if (measured.logs) files.logs += Amount(container.logs, resource);
  }
  if (measured.local_volumes) {
    for (const std::string& name : pod.facts->local_volumes) {
      files.volumes += VolumeUsage(pod, name, resource);
    }
    files.deleted += VolumeUsage(pod, kDeletedFiles, resource);
  }
  if (measured.writable_layers) files.deleted += VolumeUsage(pod, kDeletedInLayers, resource);
  return files;
}

RankKey MemoryRankAt(const PodFacts& facts, std::uint64_t working_set) {
  return KeyOf(MemoryFiguresAt(facts, working_set), facts);
}

RankKey PidRankAt(const PodFacts& facts, std::uint64_t tasks) {
  return KeyOf(PidFiguresAt(facts, tasks), facts);
}

RankKey RankOf(const ActivePod& pod, Signal signal, DiskLayout layout) {
  return KeyOf(FiguresOf(pod, signal, layout), *pod.facts);
}

bool DiskUseIsUnknown(const ActivePod& pod) {
  return pod.stats != nullptr && pod.stats->stale_disk && !pod.stats->stale_disk->measured_at;
}

bool MayGo(const ActivePod& pod, Signal signal) {
  if (pod.facts->IsProtected()) return false;
  switch (ResourceOf(signal)) {
    case Resource::kMemory:
    case Resource::kPids: return true;
    case Resource::kSwap: return GivesSwapBack(pod);
    case Resource::kEphemeralStorage:
    case Resource::kInodes: return !DiskUseIsUnknown(pod);
    case Resource::kIo: return IoPressure(pod) > 0;
  }
  __builtin_unreachable();
}

bool IsCandidate(const ActivePod& pod, Signal signal, DiskLayout layout, Candidates candidates) {
  if (!MayGo(pod, signal)) return false;
  if (candidates == Candidates::kAll) return true;
  const RankFigures figures = FiguresOf(pod, signal, layout);
  return figures.known && !figures.within_request;
}

// UIDs lie elsewhere in memory and are compared only if everything else is equal.
template <typename MayGoOf, typename FiguresOfPod>
void FirstVictimSearch::LookBy(std::span<const ActivePod> pods, PodRange among, MayGoOf may_go,
                               FiguresOfPod figures_of) {
  std::size_t i = among.begin;
  if (!victim_) {
    while (i < among.end && !may_go(pods[i])) ++i;
    if (i == among.end) return;
    victim_ = i;
    figures_ = figures_of(pods[i]);
    ++i;
  }
  std::size_t first = *victim_;
  Turn best(figures_);
  for (; i < among.end; ++i) {
    if (!may_go(pods[i])) continue;
    const Turn turn(figures_of(pods[i]));
    if (best.IsBefore(turn)) continue;
    const bool alike = !turn.IsBefore(best);
    if (alike && pods[i].facts->pod.uid >= pods[first].facts->pod.uid) continue;
    first = i;
    best = turn;
  }
  if (first == *victim_) return;
  victim_ = first;
  figures_ = figures_of(pods[first]);
}

void FirstVictimSearch::Look(std::span<const ActivePod> pods, PodRange among) {
  const auto may_go = [](const ActivePod& pod) { return !pod.facts->IsProtected(); };
  // A separate loop for each of the two resources that have to be fast.
  if (ResourceOf(signal_) == Resource::kMemory && candidates_ == Candidates::kAll) {
    return LookBy(pods, among, may_go, [](const ActivePod& pod) { return MemoryFigures(pod); });
  }
  if (ResourceOf(signal_) == Resource::kPids) {
    return LookBy(pods, among, may_go, [](const ActivePod& pod) { return PidFigures(pod); });
  }
  LookBy(
      pods, among,
      [this](const ActivePod& pod) { return IsCandidate(pod, signal_, layout_, candidates_); },
      [this](const ActivePod& pod) { return FiguresOf(pod, signal_, layout_); });
}

std::optional<std::size_t> FirstVictim(std::span<const ActivePod> pods, Signal signal,
                                       DiskLayout layout, Candidates candidates) {
  FirstVictimSearch search(signal, layout, candidates);
  search.Look(pods, {0, pods.size()});
  return search.victim();
}

std::vector<std::size_t> RankedPods(std::span<const ActivePod> pods, Signal signal,
                                    DiskLayout layout) {
  std::vector<RankKey> keys;
  keys.reserve(pods.size());
  for (const ActivePod& pod : pods) keys.push_back(RankOf(pod, signal, layout));
  std::vector<std::size_t> order(pods.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(),
            [&](std::size_t a, std::size_t b) { return keys[a] < keys[b]; });
  return order;
}

std::string_view DecidingField(const RankKey& first, const RankKey& second) {
  if (first.known != second.known) return "no statistics";
  if (first.within_request != second.within_request) return "usage above request";
  if (first.priority != second.priority) return "priority";
  if (first.negated_excess != second.negated_excess) return "usage minus request";
  return "UID";
}

}  // namespace jettison
