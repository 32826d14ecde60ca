#include "codec/flight/following.h"

#include "core/observe/observations.h"
#include "core/pass/pass.h"

namespace jettison {

EvictionState StateAfter(const RecordedPass& pass) {
  EvictionState state = pass.report.evaluation.next;
  if (!pass.report.evictions.empty()) {
    MarkEviction(pass.report.observations, pass.report.at, state);
  }
  return state;
}

void FillInReport(RecordedPass& pass) {
  pass.report.observations = ObservationsFrom(pass.summary.node);
  pass.report.evaluation =
      EvaluateBy(*pass.policy, pass.before, pass.report.observations, pass.report.at);
}

}  // namespace jettison
