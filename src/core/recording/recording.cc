#include "core/recording/recording.h"

#include "core/observe/observations.h"

namespace jettison {

Instant WhenOf(const RecordedItem& item) {
  if (const auto* about = std::get_if<RecordingAbout>(&item)) return about->at;
  if (const auto* kill = std::get_if<RecordedOomKill>(&item)) return kill->at;
  if (const auto* gap = std::get_if<RecordedGap>(&item)) return gap->from;
  if (const auto* note = std::get_if<RecordedNote>(&item)) return note->at;
  return std::get<std::shared_ptr<const RecordedPass>>(item)->report.at;
}

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
      Evaluate(*pass.policy, pass.before, pass.report.observations, pass.report.at);
}

}  // namespace jettison
