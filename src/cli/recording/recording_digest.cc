#include "cli/recording/recording_digest.h"

#include <algorithm>
#include <utility>
#include <variant>

namespace jettison {
namespace {

template <typename T>
void Tell(std::vector<T>& list, T item) {
  if (list.size() < RecordingDigest::kMostTold) list.push_back(std::move(item));
}

}  // namespace

void DigestMaker::Add(const RecordedItem& item) {
  if (const auto* about = std::get_if<RecordingAbout>(&item)) {
    digest_.nodes.insert(about->node);
    Tell(digest_.starts, *about);
    ++digest_.start_count;
    if (last_time_ && about->at < *last_time_) NoteStepBack(*last_time_, about->at);
    last_pass_.reset();
  } else if (const auto* gap = std::get_if<RecordedGap>(&item)) {
    AddGap({.from = gap->from, .to = gap->to, .why = gap->why});
    last_pass_.reset();
  } else if (const auto* note = std::get_if<RecordedNote>(&item)) {
    ++digest_.note_count;
    Tell(digest_.notes, note->text);
  } else if (std::holds_alternative<RecordedOomKill>(item)) {
    ++digest_.oom_kills;
  } else {
    AddPass(*std::get<std::shared_ptr<const RecordedPass>>(item));
  }
}

void DigestMaker::AddFault(const std::string& fault) {
  ++digest_.fault_count;
  Tell(digest_.faults, fault);
}

void DigestMaker::NoteStepBack(Instant from, Instant to) {
  ++digest_.clock_step_count;
  Tell(digest_.clock_steps, {from, to, "the clock was set back"});
}

void DigestMaker::AddGap(DigestGap gap) {
  ++digest_.gap_count;
  Tell(digest_.gaps, std::move(gap));
}

void DigestMaker::AddPass(const RecordedPass& pass) {
  const Instant at = pass.report.at;
  digest_.from = std::min(digest_.from.value_or(at), at);
  digest_.to = std::max(digest_.to.value_or(at), at);
  if (last_pass_ && at < *last_pass_) {
    NoteStepBack(*last_pass_, at);
  } else if (last_pass_ && Elapsed(*last_pass_, at) > kLongSilence) {
    AddGap({*last_pass_, at, "no pass was made, or the clock was set forward"});
  }
  last_pass_ = last_time_ = at;
  ++digest_.passes;
  if (pass.report.acting_for) ++digest_.acting_passes;
  if (!pass.report.reclaim_attempted.empty()) ++digest_.reclaims;
  digest_.evictions += pass.report.evictions.size();
  for (const EvictionRecord& eviction : pass.report.evictions) {
    Tell(digest_.evicted, {at, eviction.order.pod_uid, eviction.order.message});
  }
  for (const auto& pod : pass.pods) {
    if (!digest_.pods.contains(pod->pod.uid)) digest_.pods.insert(pod->pod.uid);
  }
  if (digest_.policies == 0 || pass.policy->thresholds != thresholds_) ++digest_.policies;
  thresholds_ = pass.policy->thresholds;
}

}  // namespace jettison
