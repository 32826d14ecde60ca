#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "agent/edges/edges.h"
#include "core/model/summary.h"
#include "core/units/duration.h"
#include "view/snapshot.h"

namespace jettison {

// The pods as the last full pass had them: what onlookers are shown of each, and by which figures
// of its files it has decided already.
class MeasuredPods {
 public:
  // A full pass has decided by these.
  void Take(std::vector<PodStats> stats, const DiskUse& disk, Instant now);
  // The pod ends: another one may come under its UID.
  void Forget(const std::string& pod_uid) { disk_measured_at_.erase(pod_uid); }

  // Marks those whose files were not measured for a pass that is to come. A figure decides once as
  // what was measured for a pass: in the first one after it came, however long that walk has taken.
  // `disk` is what `stats` were made of; null: of nothing, so all are unknown.
  void MarkStale(const DiskUse* disk, std::vector<PodStats>& stats) const;

  // Adds the figures to these pods, which are by namespace and name.
  void AddTo(std::vector<PodView>& pods) const;
  [[nodiscard]] const std::vector<PodStats>& stats() const { return stats_; }
  [[nodiscard]] std::optional<Instant> at() const { return at_; }

 private:
  std::vector<PodStats> stats_;
  std::optional<Instant> at_;                                     // absent: there was none
  std::map<std::string, Instant, std::less<>> disk_measured_at_;  // by pod UID
};

}  // namespace jettison
