#pragma once

#include <utility>

#include "core/units/duration.h"
#include "kernel/readiness/lifetime.h"
#include "machine/log/log.h"
#include "sources/kubernetes/calls/api_call.h"
#include "sources/kubernetes/calls/call_complaints.h"

namespace jettison {

// Calls the API server for one object, and logs what is wrong with its answers.
class ClusterCaller {
 public:
  // Both must outlive this.
  ClusterCaller(kube::Cluster& cluster, const Log& log) : cluster_(cluster), log_(log) {}

  // `take` is called with the answer, unless this object is gone by then.
  template <typename Take>
  void Ask(kube::ApiCall call, Duration timeout, Take take) {
    cluster_.Ask(std::move(call), timeout, lifetime_.Guard(std::move(take)));
  }
  // Logs a setback, as often as CallComplaints has it, with the rule that gives a right which is
  // missing.
  void Complain(kube::CallPurpose purpose, const kube::Outcome& outcome) {
    const auto complaint = complaints_.Take(purpose, outcome);
    if (!complaint) return;
    if (complaint->rule.empty()) {
      log_.Warn(complaint->message, {{"err", complaint->err}});
    } else {
      log_.Warn(complaint->message, {{"err", complaint->err}, {"rule", complaint->rule}});
    }
  }

 private:
  kube::Cluster& cluster_;
  const Log& log_;
  kube::CallComplaints complaints_;
  Lifetime lifetime_;
};

}  // namespace jettison
