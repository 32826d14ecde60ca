#pragma once

#include "codec/flight/values/list_fields.h"
#include "core/decide/eviction_pace.h"
#include "core/report/cycle_report.h"

namespace jettison {

// What a pass did, field by field (list_fields.h).

template <typename Archive, FormOf<SoftHold> T>
void ListFields(Archive& fields, T& hold) {
  fields("reason", hold.reason);
  fields("until", hold.until);
}

template <typename Archive, FormOf<PodGrowth> T>
void ListFields(Archive& fields, T& growth) {
  fields("pod", growth.pod_uid);
  fields("growth", growth.growth);
}

// As bytes, `fastest` is a part of its own (PassPart), since chunks of before have none.
template <typename Archive, FormOf<PaceInput> T>
void ListFields(Archive& fields, T& pace) {
  auto& [signal, kubelet_decides, next_by_clock, ending, growth, growth_of_pods, soft, fastest] =
      pace;
  fields("signal", signal);
  fields("kubeletDecides", kubelet_decides);
  fields("nextByClock", next_by_clock);
  fields("ending", ending);
  fields("growth", growth);
  fields("growthOfPods", growth_of_pods);
  fields("soft", soft);
  if constexpr (!std::remove_const_t<Archive>::kIsByPlace) fields("fastestPod", fastest);
}

template <typename Archive, FormOf<EvictionPause> T>
void ListFields(Archive& fields, T& pause) {
  fields("reason", pause.reason);
  fields("until", pause.until);
  fields("pod", pause.pod_uid);
}

template <typename Archive, FormOf<EvictionOrder> T>
void ListFields(Archive& fields, T& order) {
  // Who carries it out does not matter for what was decided.
  auto& [uid, grace, reason, message, annotations, disruption_target, soft, unrecorded] = order;
  fields("pod", uid);
  fields("gracePeriodSeconds", grace);
  fields("reason", reason);
  fields("message", message);
  fields("annotations", annotations);
  fields("disruptionTarget", disruption_target);
  fields("soft", soft);
}

template <typename Archive, FormOf<EvictionRecord> T>
void ListFields(Archive& fields, T& eviction) {
  auto& [order, storage_limit, kill_error, outcome] = eviction;
  fields("order", order);
  fields("storageLimit", storage_limit);
  fields("killError", kill_error);
  fields("outcome", outcome);
}

template <typename Archive, FormOf<SurvivorRecord> T>
void ListFields(Archive& fields, T& survivor) {
  fields("pod", survivor.pod_uid);
  fields("since", survivor.since);
  fields("kills", survivor.kills);
}

template <typename Archive, FormOf<StaleDiskRecord> T>
void ListFields(Archive& fields, T& stale) {
  fields("pod", stale.pod_uid);
  fields("measuredAt", stale.measured_at);
}

template <typename Archive, FormOf<SparedPod> T>
void ListFields(Archive& fields, T& spared) {
  fields("pod", spared.uid);
  fields("why", spared.why);
  fields("until", spared.until);
}

template <typename Archive, FormOf<ReclaimedMemory> T>
void ListFields(Archive& fields, T& reclaimed) {
  fields("step", reclaimed.step);
  fields("group", reclaimed.group);
  fields("bytes", reclaimed.bytes);
}

template <typename Archive, FormOf<EarlyKill> T>
void ListFields(Archive& fields, T& kill) {
  auto& [uid, signal, at, after, grace, left, growth] = kill;
  fields("pod", uid);
  fields("signal", signal);
  fields("at", at);
  fields("after", after);
  fields("gracePeriod", grace);
  fields("available", left);
  fields("growth", growth);
}

template <typename Archive, FormOf<Event> T>
void ListFields(Archive& fields, T& event) {
  auto& [object, type, reason, message, annotations] = event;
  fields("object", object);
  fields("type", type);
  fields("reason", reason);
  fields("message", message);
  fields("annotations", annotations);
}

// Everything but `at`, `observations` and `evaluation`.
template <typename Archive, FormOf<CycleReport> T>
void ListFields(Archive& fields, T& report) {
  auto& [at, observations, evaluation, acting_for, reclaim_attempted, reclaim_errors, under_way,
         relieved, after_reclaim, reclaimed, early_kills, pause, ranked_for, ranking, stale_disk,
         survivors, spared, events, evictions] = report;
  fields("actingFor", acting_for);
  fields("reclaimAttempted", reclaim_attempted);
  fields("reclaimErrors", reclaim_errors);
  fields("reclaimUnderWay", under_way);
  fields("relievedByReclaim", relieved);
  fields("afterReclaim", after_reclaim);
  fields("reclaimed", reclaimed);
  fields("earlyKills", early_kills);
  fields("pause", pause);
  fields("rankedFor", ranked_for);
  fields("ranking", ranking);
  fields("staleDisk", stale_disk);
  fields("survivors", survivors);
  fields("spared", spared);
  fields("events", events);
  fields("evictions", evictions);
}

}  // namespace jettison
