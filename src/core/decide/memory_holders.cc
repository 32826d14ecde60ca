#include "core/decide/memory_holders.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>
#include <string_view>
#include <utility>

#include "core/pods/pod_kind.h"
#include "core/units/quantity.h"

namespace jettison {
namespace {

constexpr std::int64_t kMi = std::int64_t{1} << 20;

std::int64_t Signed(std::uint64_t bytes) {
  return static_cast<std::int64_t>(bytes);
}

std::optional<std::int64_t> Signed(const std::optional<std::uint64_t>& bytes) {
  return bytes ? std::optional(Signed(*bytes)) : std::nullopt;
}

// Protected static pods count as critical, in every profile: their owner protects them.
void AddPod(const ActivePod& pod, MemoryHolders& holders) {
  if (pod.stats == nullptr) return;
  const std::int64_t bytes = Signed(pod.stats->memory_working_set_bytes.value_or(0));
  if (!pod.facts->IsProtected() || pod.facts->IsSpared()) {
    holders.pods += bytes;
  } else if (IsCritical(pod.facts->pod, Profile::kKubelet)) {
    holders.critical += bytes;
  } else {
    holders.foreign += bytes;
  }
}

// In whole MiB, because the exact number is not important where there is one.
std::string Amount(std::int64_t bytes) {
  return Quantity::Of(bytes < kMi ? bytes : bytes / kMi * kMi, QuantityFormat::kBinarySI)
      .ToString();
}

std::string PartsText(const MemoryHolders& holders) {
  std::string text;
  const auto add = [&](std::string_view name, const std::optional<std::int64_t>& bytes) {
    if (!bytes || *bytes < kMi) return;
    text += fmt::format("{}{} {}", text.empty() ? "; of all this " : ", ", name, Amount(*bytes));
  };
  add("tmpfs and shared memory", holders.shared);
  add("the kernel", holders.kernel);
  return text;
}

}  // namespace

std::optional<MemoryHolders> HoldersOf(const NodeStats& node, std::span<const ActivePod> pods,
                                       std::int64_t ending) {
  if (!node.memory || !node.memory->working_set_bytes) return std::nullopt;
  MemoryHolders holders{.all = Signed(*node.memory->working_set_bytes),
                        .ending = ending,
                        .shared = Signed(node.memory->shared_bytes),
                        .kernel = Signed(node.memory->kernel_bytes)};
  for (const ActivePod& pod : pods) AddPod(pod, holders);
  // The figures are not all of the same moment, so differences may be negative.
  const std::int64_t of_pods = holders.pods + holders.critical + holders.foreign + holders.ending;
  const std::int64_t rest = std::max(holders.all - of_pods, std::int64_t{0});
  if (node.pods_memory && node.pods_memory->working_set_bytes) {
    const std::int64_t group = Signed(*node.pods_memory->working_set_bytes);
    holders.gone = std::clamp(group - of_pods, std::int64_t{0}, rest);
  }
  holders.outside = rest - holders.gone;
  return holders;
}

bool AreOthers(const MemoryHolders& holders) {
  const std::int64_t may_go = holders.pods + holders.ending;
  return may_go < holders.critical + holders.foreign + holders.gone + holders.outside;
}

std::string TextOf(const MemoryHolders& holders) {
  std::array<std::pair<std::int64_t, std::string_view>, 6> parts = {
      std::pair{holders.outside, "processes outside the pods"},
      {holders.critical, "pods that are never evicted"},
      {holders.foreign, "foreign pods that are only observed"},
      {holders.gone, "files, pages and processes of no pod"},
      {holders.ending, "pods that are ending"},
      {holders.pods, "pods that may be evicted"}};
  std::ranges::stable_sort(parts, std::greater<>(), [](const auto& part) { return part.first; });
  std::string text;
  for (const auto& [bytes, name] : parts) {
    if (bytes == 0 || (bytes < kMi && !text.empty())) continue;
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", name, Amount(bytes));
  }
  return text + PartsText(holders);
}

}  // namespace jettison
