#include "core/pass/recorded_pass.h"

#include "core/model/pod.h"

namespace jettison {
namespace {

// What an allocation takes beside what is asked for, about.
constexpr std::size_t kAllocation = 16;
constexpr std::size_t kShortString = 15;  // it is held without an allocation
// A line of a report with a sentence or two, such as an event.
constexpr std::size_t kLine = 512;

std::size_t HeldBy(const std::string& text) {
  return text.capacity() > kShortString ? text.capacity() + kAllocation : 0;
}

template <typename Item>
std::size_t HeldBy(const std::vector<Item>& items) {
  return items.capacity() * sizeof(Item) + kAllocation;
}

std::size_t HeldBy(const Summary& summary) {
  std::size_t bytes = HeldBy(summary.pods) + HeldBy(summary.node.node_name);
  for (const PodStats& pod : summary.pods) {
    bytes += HeldBy(pod.uid) + HeldBy(pod.name) + HeldBy(pod.namespace_);
    bytes += HeldBy(pod.containers) + HeldBy(pod.volumes);
    for (const ContainerStats& container : pod.containers) bytes += HeldBy(container.name);
    for (const VolumeStats& volume : pod.volumes) bytes += HeldBy(volume.name);
  }
  return bytes;
}

std::size_t HeldBy(const CycleReport& report) {
  std::size_t bytes = HeldBy(report.ranking) + HeldBy(report.stale_disk) + HeldBy(report.spared);
  for (const std::string& uid : report.ranking) bytes += HeldBy(uid);
  for (const StaleDiskRecord& stale : report.stale_disk) bytes += HeldBy(stale.pod_uid);
  return bytes + kLine * (report.spared.size() + report.events.size() + report.evictions.size() +
                          report.survivors.size() + report.early_kills.size());
}

}  // namespace

std::size_t BytesOf(const RecordedPass& pass) {
  std::size_t bytes = sizeof pass + HeldBy(pass.summary) + HeldBy(pass.pods) + HeldBy(pass.report);
  if (pass.after_reclaim) bytes += HeldBy(*pass.after_reclaim);
  return bytes;
}

std::string NameOfPod(const RecordedPass& pass, std::string_view uid) {
  for (const auto& facts : pass.pods) {
    if (facts->pod.uid == uid) return FullName(facts->pod);
  }
  return std::string(uid);
}

}  // namespace jettison
