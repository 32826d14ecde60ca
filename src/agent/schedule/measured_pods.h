#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "agent/dependencies/dependencies.h"
#include "core/model/summary.h"
#include "core/text/text_index.h"
#include "core/units/duration.h"
#include "view/snapshot.h"

namespace jettison {

// The pods' figures of the last full pass, for onlookers, and when the disk figures that it used
// were measured.
class MeasuredPods {
 public:
  // A full pass has decided by these.
  void Take(const std::vector<PodStats>& stats, const DiskUse& disk, Instant now);
  // The pod ends: another one may come under its UID.
  void Forget(const std::string& pod_uid) { disk_measured_at_.erase(pod_uid); }

  // Marks the pods whose disk figures are stale for the next pass. If `age_counts`, a disk figure
  // is fresh only for the first full pass that uses it, however long its walk has taken. A partial
  // one is always stale. `disk` are the figures in `stats`; null: there are none, so all are
  // unknown.
  void MarkStale(const DiskUse* disk, bool age_counts, std::vector<PodStats>& stats) const;

  // Adds the figures to these pods, which are by namespace and name.
  void AddTo(std::vector<PodView>& pods) const;
  // Of the last full pass; empty: there was none, or there were no pods.
  [[nodiscard]] const std::vector<PodStats>& stats() const { return stats_; }
  [[nodiscard]] std::optional<Instant> at() const { return at_; }

 private:
  std::vector<PodStats> stats_;
  std::optional<Instant> at_;            // absent: there was none
  TextIndex<Instant> disk_measured_at_;  // by pod UID
};

}  // namespace jettison
