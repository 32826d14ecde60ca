#pragma once

#include <map>
#include <string>

#include "core/units/duration.h"
#include "machine/log/log.h"
#include "sources/kubernetes/client/pod_watch.h"

namespace jettison {

// Logs how well the pods of the node are known, when that changes: once when they have been listed,
// when the API server does not answer, when its certificate is not trusted, and when it answers and
// does not give the pods. Each fault is logged once an hour at most.
class ClusterStateLog {
 public:
  static constexpr Duration kSayAgainAfter = std::chrono::hours(1);

  // The log must outlive this.
  explicit ClusterStateLog(const Log& log) : log_(log) {}

  void Take(const kube::PodWatchState& state, Instant now);

 private:
  // Whether that text is to be logged now.
  [[nodiscard]] bool IsNews(const std::string& text, Instant now);

  const Log& log_;
  bool had_listed_ = false;
  bool was_away_ = false;
  bool was_refused_ = false;                // and that was logged
  std::map<std::string, Instant> said_at_;  // by the text of a fault, within the last hour
};

}  // namespace jettison
