#include "core/decide/holders.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <utility>

#include "core/decide/decide.h"
#include "core/decide/ranking.h"
#include "core/model/pod.h"
#include "core/pods/pod_kind.h"
#include "core/units/quantity.h"

namespace jettison {
namespace {

constexpr std::int64_t kMi = std::int64_t{1} << 20;

std::int64_t Signed(std::uint64_t amount) {
  return static_cast<std::int64_t>(amount);
}

bool MayBeEvicted(const PodFacts& facts) {
  return !facts.IsProtected() || facts.IsSpared();
}

// What pods hold that may not be evicted. Protected static pods count as critical, in every
// profile: their owner protects them.
struct Protected {
  std::int64_t critical = 0;
  std::int64_t foreign = 0;

  void Add(const PodFacts& facts, std::int64_t amount) {
    (IsCritical(facts.pod, Profile::kKubelet) ? critical : foreign) += amount;
  }
  void AddTo(std::vector<HolderPart>& parts) const {
    parts.push_back({"critical", "pods that are never evicted", critical});
    parts.push_back({"foreign", "foreign pods that are only observed", foreign});
  }
};

std::optional<Holders> MemoryHolders(const NodeStats& node, std::span<const ActivePod> pods,
                                     std::int64_t ending) {
  if (!node.memory || !node.memory->working_set_bytes) return std::nullopt;
  Holders holders{.all = Signed(*node.memory->working_set_bytes)};
  std::int64_t of_others = 0;
  Protected of_protected;
  for (const ActivePod& pod : pods) {
    if (pod.stats == nullptr) continue;
    const std::int64_t bytes = Signed(pod.stats->memory_working_set_bytes.value_or(0));
    MayBeEvicted(*pod.facts) ? of_others += bytes : (of_protected.Add(*pod.facts, bytes), 0);
  }
  // The figures are not all of the same moment, so differences may be negative.
  const std::int64_t of_pods = of_others + of_protected.critical + of_protected.foreign + ending;
  const std::int64_t rest = std::max(holders.all - of_pods, std::int64_t{0});
  std::int64_t gone = 0;
  if (node.pods_memory && node.pods_memory->working_set_bytes) {
    const std::int64_t group = Signed(*node.pods_memory->working_set_bytes);
    gone = std::clamp(group - of_pods, std::int64_t{0}, rest);
  }
  std::vector<HolderPart>& parts = holders.parts;
  parts.push_back({"pods", "pods that may be evicted", of_others, true});
  of_protected.AddTo(parts);
  parts.push_back({"ending", "pods that are ending", ending, true});
  // Charged to the pods' group, and to none of its pods: what pods that are gone have left behind,
  // files in a tmpfs above all, and processes of others in the place of a pod.
  parts.push_back({"gone", "files, pages and processes of no pod", gone});
  parts.push_back({"outside", "processes outside the pods", rest - gone});
  const auto add = [&](std::string_view key, std::string_view name, const auto& bytes) {
    if (bytes) holders.within.push_back({key, name, Signed(*bytes)});
  };
  add("shared", "tmpfs and shared memory", node.memory->shared_bytes);
  add("kernel", "the kernel", node.memory->kernel_bytes);
  return holders;
}

// `may_be_freed`: by pods that may be evicted.
std::vector<HolderPart> PartsOf(const PodFiles& files, bool may_be_freed) {
  return {
      {"logs", "logs", Signed(files.logs), may_be_freed},
      {"writableLayers", "writable layers", Signed(files.layers), may_be_freed},
      {"localVolumes", "local volumes", Signed(files.volumes), may_be_freed},
      {"deletedFiles", "deleted files that are held open", Signed(files.deleted), may_be_freed}};
}

std::optional<Holders> DiskHolders(Signal signal, const NodeStats& node,
                                   std::span<const ActivePod> pods, DiskLayout layout) {
  const auto& fs = FileSystemOf(signal, node);
  if (!fs) return std::nullopt;
  const auto& used = ResourceOf(signal) == Resource::kInodes ? fs->inodes_used : fs->used_bytes;
  if (!used) return std::nullopt;
  Holders holders{.signal = signal, .all = Signed(*used)};
  PodFiles files;
  Protected of_protected;
  bool any_is_measured = pods.empty();
  for (const ActivePod& pod : pods) {
    if (pod.stats == nullptr || DiskUseIsUnknown(pod)) continue;
    any_is_measured = true;
    const PodFiles of_pod = FilesOf(pod, signal, layout);
    if (MayBeEvicted(*pod.facts)) {
      files += of_pod;
    } else {
      of_protected.Add(*pod.facts, Signed(of_pod.Sum()));
    }
  }
  if (!any_is_measured) return std::nullopt;
  const std::int64_t of_pods = Signed(files.Sum()) + of_protected.critical + of_protected.foreign;
  holders.parts = PartsOf(files, true);
  of_protected.AddTo(holders.parts);
  holders.parts.push_back(
      {"rest", "files that are no pod's own", std::max(holders.all - of_pods, std::int64_t{0})});
  return holders;
}

// Bytes in whole MiB, because the exact number is not important where there is one.
std::string Amount(std::int64_t amount, bool is_bytes) {
  if (!is_bytes) return fmt::to_string(amount);
  return Quantity::Of(amount < kMi ? amount : amount / kMi * kMi, QuantityFormat::kBinarySI)
      .ToString();
}

std::string PartsText(std::vector<HolderPart> parts, bool is_bytes) {
  std::ranges::stable_sort(parts, std::greater<>(), &HolderPart::amount);
  std::string text;
  for (const HolderPart& part : parts) {
    if (part.amount == 0 || (is_bytes && part.amount < kMi && !text.empty())) continue;
    text +=
        fmt::format("{}{} {}", text.empty() ? "" : ", ", part.name, Amount(part.amount, is_bytes));
  }
  return text;
}

}  // namespace

std::optional<Holders> HoldersOf(Signal signal, const NodeStats& node,
                                 std::span<const ActivePod> pods, DiskLayout layout,
                                 std::int64_t ending) {
  if (IsOfDisk(signal)) return DiskHolders(signal, node, pods, layout);
  if (ResourceOf(signal) == Resource::kMemory) return MemoryHolders(node, pods, ending);
  return std::nullopt;
}

std::vector<Signal> SignalsWithHolders(std::span<const Threshold> thresholds, ThresholdSet met) {
  std::vector<Signal> signals = {Signal::kMemoryAvailable};
  const auto disk = MostUrgent(thresholds, met & ~WithoutDisks(thresholds, met));
  if (disk) signals.push_back(thresholds[*disk].signal);
  return signals;
}

bool AreOthers(const Holders& holders) {
  std::int64_t more_of_others = 0;
  for (const HolderPart& part : holders.parts) {
    more_of_others += part.may_be_freed ? -part.amount : part.amount;
  }
  return more_of_others > 0;
}

std::string TextOf(const Holders& holders) {
  const bool is_bytes = ResourceOf(holders.signal) != Resource::kInodes;
  std::string text = PartsText(holders.parts, is_bytes);
  std::string_view before = "; of all this ";
  for (const HolderPart& part : holders.within) {
    if (part.amount < kMi) continue;
    text += fmt::format("{}{} {}", std::exchange(before, ", "), part.name,
                        Amount(part.amount, is_bytes));
  }
  return text;
}

std::string CountedText(const ActivePod& pod, Signal signal, DiskLayout layout) {
  if (!IsOfDisk(signal) || pod.stats == nullptr) return "";
  return PartsText(PartsOf(FilesOf(pod, signal, layout), false),
                   ResourceOf(signal) != Resource::kInodes);
}

std::string_view NameOfStore(Signal signal) {
  if (!IsOfDisk(signal)) return "memory";
  return ResourceOf(signal) == Resource::kInodes ? "inodes" : "disk";
}

}  // namespace jettison
