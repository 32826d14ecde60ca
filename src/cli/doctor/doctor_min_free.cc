#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <fstream>
#include <optional>
#include <string>

#include "cli/doctor/doctor_checks.h"
#include "core/evaluate/evaluate.h"
#include "kernel/procfs/parse.h"

namespace jettison {
namespace {

// What the hard thresholds on memory.available stand for; the largest counts.
std::optional<std::uint64_t> HardThresholdOf(const AgentConfig& config, std::uint64_t capacity) {
  std::optional<std::uint64_t> bytes;
  for (const Threshold& threshold : config.eviction.thresholds) {
    if (threshold.signal != Signal::kMemoryAvailable || !threshold.IsHard()) continue;
    const std::int64_t value =
        QuantityOf(threshold.value, static_cast<std::int64_t>(capacity)).Value();
    bytes =
        std::max(bytes.value_or(0), static_cast<std::uint64_t>(std::max<std::int64_t>(value, 0)));
  }
  return bytes;
}

}  // namespace

HostCheck MinFreeCheck(const AgentConfig& config, std::uint64_t capacity,
                       const std::string& min_free_file) {
  constexpr const char* kName = "min_free";
  std::ifstream file(min_free_file);
  std::string line;
  std::getline(file, line);
  const auto kept = procfs::ParseMinFree(line);
  if (!kept) {
    return {.check = kName,
            .status = HostStatus::kDegraded,
            .found = min_free_file + ": " + kept.error().message,
            .cost =
                "it is not known whether the kernel runs short of free memory before the threshold "
                "is met",
            .remedy = "mount proc"};
  }
  const std::string found =
      fmt::format("the kernel keeps {} free (vm.min_free_kbytes), which memory.available includes",
                  Mebibytes(*kept));
  const auto threshold = HardThresholdOf(config, capacity);
  if (!config.node_cgroup.empty() || !threshold || *threshold > *kept) return OkCheck(kName, found);
  return {.check = kName,
          .status = HostStatus::kDegraded,
          .found = found,
          .cost = fmt::format("processes wait for memory, and the OOM killer may act, before "
                              "evictionHard's memory.available ({}) is met",
                              Mebibytes(*threshold)),
          .remedy = fmt::format("set evictionHard's memory.available above {}, or lower "
                                "vm.min_free_kbytes",
                                Mebibytes(*kept))};
}

}  // namespace jettison
