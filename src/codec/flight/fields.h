#pragma once

#include <string_view>

#include "codec/kubernetes/summary_fields.h"
#include "core/evaluate/evaluate.h"
#include "core/json/json_writer.h"
#include "core/model/summary.h"
#include "core/pass/pass.h"
#include "core/recording/recording.h"
#include "core/report/cycle_report.h"

namespace jettison {

// Every field of what a recording holds, once, for the writer and the reader of its message
// (messages.h). They stand in the order of the message's fields in recording.proto. A type that
// names its members in brackets does not compile when it gets another one.

// The figures of a stats summary are listed with their names there.
template <typename T>
concept SummaryFigures = FormOf<T, MemoryStats> || FormOf<T, SwapStats> || FormOf<T, FsStats> ||
    FormOf<T, FsUsage> || FormOf<T, RlimitStats> || FormOf<T, StallShares> || FormOf<T, StaleDisk>;

template <typename Fields>
struct WithoutNames {
  Fields& fields;
  void operator()(std::string_view /*name*/, auto& value) { fields(value); }
  void Share(std::string_view /*name*/, auto& share) { fields(share); }
};

template <typename Fields, SummaryFigures T>
void ListFields(Fields& fields, T& figures) {
  WithoutNames<Fields> unnamed{fields};
  VisitFields(unnamed, figures);
}

template <typename Fields, FormOf<PressureStats> T>
void ListFields(Fields& fields, T& pressure) {
  fields(pressure.time, pressure.some, pressure.full);
}

template <typename Fields, FormOf<NodeStats> T>
void ListFields(Fields& fields, T& node) {
  auto& [name, memory, pods_memory, swap, fs, image_fs, container_fs, rlimit, memory_pressure,
         io_pressure] = node;
  fields(name, memory, pods_memory, swap, fs, image_fs, container_fs, rlimit, memory_pressure,
         io_pressure);
}

template <typename Fields, FormOf<ContainerStats> T>
void ListFields(Fields& fields, T& container) {
  fields(container.name, container.memory_working_set_bytes, container.rootfs, container.logs);
}

template <typename Fields, FormOf<VolumeStats> T>
void ListFields(Fields& fields, T& volume) {
  fields(volume.name, volume.usage);
}

template <typename Fields, FormOf<PodStats> T>
void ListFields(Fields& fields, T& pod) {
  auto& [uid, name, space, processes, working_set, containers, volumes, ephemeral, stale,
         has_memory, swap, io] = pod;
  fields(uid, name, space, processes, working_set, containers, volumes, ephemeral, stale,
         has_memory, swap, io);
}

template <typename Fields, FormOf<Summary> T>
void ListFields(Fields& fields, T& summary) {
  fields(summary.node, summary.pods);
}

template <typename Fields, FormOf<KubeletLine> T>
void ListFields(Fields& fields, T& line) {
  fields(line.value, line.grace_period);
}

template <typename Fields, FormOf<Threshold> T>
void ListFields(Fields& fields, T& threshold) {
  auto& [signal, value, grace, min_reclaim, kubelet] = threshold;
  fields(signal, value, grace, min_reclaim, kubelet);
}

template <typename Fields, FormOf<DiskLayout> T>
void ListFields(Fields& fields, T& layout) {
  fields(layout.dedicated_image_fs, layout.dedicated_container_fs);
}

template <typename Fields, FormOf<PassPolicy> T>
void ListFields(Fields& fields, T& policy) {
  auto& [thresholds, transition, grace, isolation, layout, hard_first] = policy;
  fields(thresholds, transition, grace, isolation, layout, hard_first);
}

template <typename Fields, FormOf<Observation> T>
void ListFields(Fields& fields, T& observation) {
  fields(observation.available, observation.capacity, observation.time);
}

template <typename Fields, FormOf<Observations> T>
void ListFields(Fields& fields, T& observations) {
  fields(observations.by_signal);
}

template <typename Fields, FormOf<EvictionMark> T>
void ListFields(Fields& fields, T& mark) {
  fields(mark.at, mark.available);
}

template <typename Fields, FormOf<EvictionState> T>
void ListFields(Fields& fields, T& state) {
  auto& [met, first_observed_at, kubelet_line_crossed_at, condition_last_observed_at, observations,
         conditions, last_eviction] = state;
  fields(met, first_observed_at, kubelet_line_crossed_at, condition_last_observed_at, observations,
         conditions, last_eviction);
}

template <typename Fields, FormOf<Evaluation> T>
void ListFields(Fields& fields, T& evaluation) {
  auto& [met, overdue, acting, in_margin, next] = evaluation;
  fields(met, overdue, acting, in_margin, next);
}

template <typename Fields, FormOf<SoftHold> T>
void ListFields(Fields& fields, T& hold) {
  fields(hold.reason, hold.until);
}

template <typename Fields, FormOf<PaceInput> T>
void ListFields(Fields& fields, T& pace) {
  auto& [signal, kubelet_decides, next_by_clock, ending, growth, growth_of_pods, soft] = pace;
  fields(signal, kubelet_decides, next_by_clock, ending, growth, growth_of_pods, soft);
}

template <typename Fields, FormOf<EvictionPause> T>
void ListFields(Fields& fields, T& pause) {
  fields(pause.reason, pause.until, pause.pod_uid);
}

template <typename Fields, FormOf<EvictionOrder> T>
void ListFields(Fields& fields, T& order) {
  // Who carries it out does not matter for what was decided.
  auto& [uid, grace, reason, message, annotations, disruption_target, soft, unrecorded] = order;
  fields(uid, grace, reason, message, annotations, disruption_target, soft);
}

template <typename Fields, FormOf<EvictionRecord> T>
void ListFields(Fields& fields, T& eviction) {
  auto& [order, storage_limit, kill_error, outcome] = eviction;
  fields(order, storage_limit, kill_error, outcome);
}

template <typename Fields, FormOf<SurvivorRecord> T>
void ListFields(Fields& fields, T& survivor) {
  fields(survivor.pod_uid, survivor.since, survivor.kills);
}

template <typename Fields, FormOf<StaleDiskRecord> T>
void ListFields(Fields& fields, T& stale) {
  fields(stale.pod_uid, stale.measured_at);
}

template <typename Fields, FormOf<SparedPod> T>
void ListFields(Fields& fields, T& spared) {
  fields(spared.uid, spared.why, spared.until);
}

template <typename Fields, FormOf<EarlyKill> T>
void ListFields(Fields& fields, T& kill) {
  auto& [uid, signal, at, after, grace, left, growth] = kill;
  fields(uid, signal, at, after, grace, left, growth);
}

template <typename Fields, FormOf<Event> T>
void ListFields(Fields& fields, T& event) {
  auto& [object, type, reason, message, annotations] = event;
  fields(object, type, reason, message, annotations);
}

// Everything but `at`, `observations` and `evaluation`, which are fields of the pass.
template <typename Fields, FormOf<CycleReport> T>
void ListFields(Fields& fields, T& report) {
  auto& [at, observations, evaluation, acting_for, reclaim_attempted, reclaim_errors, under_way,
         relieved, after_reclaim, early_kills, pause, ranked_for, ranking, stale_disk, survivors,
         spared, events, evictions] = report;
  fields(acting_for, reclaim_attempted, reclaim_errors, under_way, relieved, after_reclaim,
         early_kills, pause, ranked_for, ranking, stale_disk, survivors, spared, events, evictions);
}

template <typename Fields, FormOf<RecordedSettings> T>
void ListFields(Fields& fields, T& settings) {
  auto& [monitoring_interval, backoff_initial, backoff_max] = settings;
  fields(monitoring_interval, backoff_initial, backoff_max);
}

template <typename Fields, FormOf<RecordingAbout> T>
void ListFields(Fields& fields, T& about) {
  auto& [at, node, maker, profile, settings] = about;
  fields(at, node, maker, profile, settings);
}

template <typename Fields, FormOf<RecordedOomKill> T>
void ListFields(Fields& fields, T& kill) {
  fields(kill.at, kill.pod_uid, kill.container);
}

template <typename Fields, FormOf<RecordedGap> T>
void ListFields(Fields& fields, T& gap) {
  fields(gap.from, gap.to, gap.why);
}

template <typename Fields, FormOf<RecordedNote> T>
void ListFields(Fields& fields, T& note) {
  fields(note.at, note.text);
}

}  // namespace jettison
