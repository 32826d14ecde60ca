#include "core/recording/recording.h"

#include <algorithm>

#include "core/observe/observations.h"
#include "core/pass/pass.h"

namespace jettison {

Instant WhenOf(const RecordedItem& item) {
  if (const auto* about = std::get_if<RecordingAbout>(&item)) return about->at;
  if (const auto* kill = std::get_if<RecordedOomKill>(&item)) return kill->at;
  if (const auto* gap = std::get_if<RecordedGap>(&item)) return gap->from;
  if (const auto* note = std::get_if<RecordedNote>(&item)) return note->at;
  return std::get<std::shared_ptr<const RecordedPass>>(item)->report.at;
}

void SpanRead::Add(Instant at) {
  first = std::min(first.value_or(at), at);
  last = std::max(last.value_or(at), at);
}

StartsRead::Place StartsRead::Of(const RecordingAbout& about) {
  const auto [place, is_new] =
      starts_.try_emplace(Key(about.at, about.node, about.maker, about.profile));
  return {.span = &place->second, .is_new = is_new};
}

StartsRead::Place StartsRead::OfImport(const RecordingAbout& about) {
  RecordingAbout any = about;
  any.at = Instant::max();
  Place place = Of(any);
  place.is_new = !place.span->last || about.at > *place.span->last;
  return place;
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
      EvaluateBy(*pass.policy, pass.before, pass.report.observations, pass.report.at);
}

}  // namespace jettison
