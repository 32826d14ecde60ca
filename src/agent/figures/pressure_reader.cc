#include "agent/figures/pressure_reader.h"

#include <algorithm>
#include <string_view>

#include "core/evaluate/evaluate.h"
#include "core/model/pressure.h"
#include "core/observe/observations.h"

namespace jettison {
namespace {

using psi::PressureFiles;
using psi::PressureResource;

std::vector<Threshold> PressureThresholds(const std::vector<Threshold>& thresholds,
                                          Resource resource) {
  std::vector<Threshold> chosen;
  for (const Threshold& threshold : thresholds) {
    if (!IsPressure(threshold.signal) || ResourceOf(threshold.signal) != resource) continue;
    chosen.push_back(threshold);
  }
  return chosen;
}

PressureFiles FilesOf(const Cgroups& groups) {
  return PressureFiles(
      [&groups](std::string_view group) { return groups.OpenPressureDirectory(group); });
}

}  // namespace

PressureReader::PressureReader(const PressureSources& sources)
    : on_memory_(PressureThresholds(sources.thresholds, Resource::kMemory)),
      on_io_(PressureThresholds(sources.thresholds, Resource::kIo)),
      node_(sources.whole_machine ? PressureFiles::OfMachine() : FilesOf(sources.node)),
      pods_(FilesOf(sources.pods)) {}

bool PressureReader::Needs(PressureResource resource) const {
  return !(resource == PressureResource::kMemory ? on_memory_ : on_io_).empty();
}

Result<PressureStats> PressureReader::ReadNode(PressureResource resource, Instant now) {
  const auto pressure = node_.Read("", resource);
  if (!pressure) return Fail(pressure.error());
  return psi::StatsOf(*pressure, now);
}

bool PressureReader::ComparesPods(const NodeStats& node) const {
  if (on_io_.empty() || !node.io_pressure) return false;
  Summary summary;
  summary.node.io_pressure = node.io_pressure;
  return ThresholdsMet(on_io_, ObservationsFrom(summary), false).any();
}

std::optional<std::int32_t> PressureReader::ReadPod(std::span<const std::string> groups) {
  std::optional<std::int32_t> most;
  for (const std::string& group : groups) {
    const auto pressure = pods_.Read(group, PressureResource::kIo);
    if (pressure) most = std::max(most.value_or(0), pressure->some.avg10);
  }
  return most;
}

}  // namespace jettison
