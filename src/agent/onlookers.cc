#include "agent/onlookers.h"

namespace jettison {

Snapshot Onlookers::SnapshotWith(const ShownOfNode& shown) const {
  Snapshot snapshot = parts_.node->MakeSnapshot();
  snapshot.node = shown.node;
  snapshot.counters = std::make_shared<const NodeCounters>(
      NodeCounters{.passes = parts_.node->counters(),
                   .pods = parts_.worker_dependencies->counters,
                   .images = parts_.images ? parts_.images->counters() : ImageCounters{},
                   .walks = shown.walks,
                   .container_bytes = parts_.reclaimer->ContainerBytes(),
                   .runtime_unready = shown.runtime_unready,
                   .log_lines_lost = log_.lost()});
  snapshot.recording = parts_.recorder;
  snapshot.evictions = parts_.evictions->Evictions();
  if (parts_.shadow) snapshot.shadow = parts_.shadow->View(snapshot.at);
  if (parts_.cluster && !parts_.shadow) {
    snapshot.cluster = {.evictions_under_way = parts_.cluster->evictions_under_way(),
                        .events_dropped = parts_.cluster->events_dropped()};
  }
  snapshot.awaits_runtime = !parts_.listed;
  snapshot.manifest_error = shown.manifest_error;
  snapshot.cluster_error = shown.cluster_error;
  snapshot.state_error = shown.state_error;
  snapshot.limits_error = shown.limits_error;
  snapshot.not_guarded = shown.not_guarded;
  return snapshot;
}

void Onlookers::NoteAsked() {
  asked_ = board_->TakeAsked() || asked_;
  for (const BoardNote& note : board_->TakeNotes()) {
    const LogField field{note.key, note.value};
    note.level == LogLevel::kWarning ? log_.Warn(note.message, {field})
                                     : log_.Info(note.message, {field});
  }
}

void Onlookers::Show(const std::function<ShownOfNode()>& shown, bool begun, Instant now) {
  if (!board_) return;
  board_->Turned(now);
  if (!begun) return;
  if (asked_) {
    asked_ = false;
    board_->Put(std::make_shared<const Snapshot>(SnapshotWith(shown())));
  }
  const std::uint64_t passes = parts_.node->passes();
  if (shown_passes_ == passes && shown_events_ == parts_.events->count()) return;
  shown_passes_ = passes;
  shown_events_ = parts_.events->count();
  board_->TellNews();
}

}  // namespace jettison
