#include "agent/schedule/measured_pods.h"

#include <algorithm>
#include <iterator>

namespace jettison {

void MeasuredPods::Take(const std::vector<PodStats>& stats, const DiskUse& disk, Instant now) {
  stats_ = stats;
  at_ = now;
  std::erase_if(disk_measured_at_, [&](const auto& entry) { return !disk.contains(entry.first); });
  for (const auto& [uid, use] : disk) disk_measured_at_[uid] = use.measured_at;
}

void MeasuredPods::MarkStale(const DiskUse* disk, bool age_counts,
                             std::vector<PodStats>& stats) const {
  for (PodStats& pod : stats) {
    pod.stale_disk.reset();
    const auto use = disk == nullptr ? DiskUse::const_iterator() : disk->find(pod.uid);
    if (disk == nullptr || use == disk->end()) {
      pod.stale_disk.emplace();
      continue;
    }
    const auto before = disk_measured_at_.find(pod.uid);
    const bool again = age_counts && before != disk_measured_at_.end() &&
                       before->second == use->second.measured_at;
    if (again || use->second.partial) {
      pod.stale_disk = StaleDisk{.measured_at = use->second.measured_at};
    }
  }
}

void MeasuredPods::AddTo(std::vector<PodView>& pods) const {
  // Both lists are in the order of namespace and name, so the search for a pod begins where the
  // last one ended.
  auto from = pods.begin();
  for (const PodStats& stats : stats_) {
    const auto pod =
        std::find_if(from, pods.end(), [&](const PodView& view) { return view.uid == stats.uid; });
    if (pod == pods.end()) continue;
    from = std::next(pod);
    if (pod->activity == PodActivity::kWaiting) continue;
    pod->memory_working_set_bytes = stats.memory_working_set_bytes;
    pod->process_count = stats.process_count;
    pod->ephemeral_storage = stats.ephemeral_storage;
    const auto measured = disk_measured_at_.find(stats.uid);
    if (measured != disk_measured_at_.end()) pod->disk_measured_at = measured->second;
  }
}

}  // namespace jettison
