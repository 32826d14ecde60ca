#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "core/units/duration.h"
#include "kernel/readiness/lifetime.h"
#include "machine/log/log.h"
#include "ports/clock.h"
#include "sources/kubernetes/calls/api_call.h"
#include "sources/kubernetes/calls/call_complaints.h"
#include "sources/kubernetes/calls/object_calls.h"

namespace jettison {

// How the API server of a cluster is asked; everything must outlive who has it.
struct ClusterAccess {
  kube::Cluster& cluster;
  const Clock& clock;
  const Log& log;
};

// The pod of a name "namespace/name"; absent: it is none of the cluster.
[[nodiscard]] inline std::optional<kube::PodTarget> TargetOf(std::string_view full_name,
                                                             std::string_view uid) {
  const std::size_t slash = full_name.find('/');
  if (slash == std::string_view::npos) return std::nullopt;
  return kube::PodTarget{.namespace_ = std::string(full_name.substr(0, slash)),
                         .name = std::string(full_name.substr(slash + 1)),
                         .uid = std::string(uid)};
}

// Calls the API server for one object, and logs what is wrong with its answers.
class ClusterCaller {
 public:
  explicit ClusterCaller(const ClusterAccess& access) : access_(access) {}

  // `take` is called with the answer, unless this object is gone by then.
  template <typename Take>
  void Ask(kube::ApiCall call, Duration timeout, Take take) {
    access_.cluster.Ask(std::move(call), timeout, lifetime_.Guard(std::move(take)));
  }

  // Logs a setback, as often as CallComplaints has it, with the rule that gives a right which is
  // missing.
  void Complain(kube::CallPurpose purpose, const kube::Outcome& outcome) {
    const auto complaint = complaints_.Take(purpose, outcome);
    if (!complaint) return;
    if (complaint->rule.empty()) {
      log().Warn(complaint->message, {{"err", complaint->err}});
    } else {
      log().Warn(complaint->message, {{"err", complaint->err}, {"rule", complaint->rule}});
    }
  }

  [[nodiscard]] const Clock& clock() const { return access_.clock; }
  [[nodiscard]] const Log& log() const { return access_.log; }

 private:
  ClusterAccess access_;
  kube::CallComplaints complaints_;
  Lifetime lifetime_;
};

}  // namespace jettison
