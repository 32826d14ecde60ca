#include "agent/passes/pass_log.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <span>
#include <string>
#include <utility>

#include "core/model/pressure.h"

namespace jettison {
namespace {

std::string AmountOf(const CycleReport& report, Signal signal) {
  const auto& observation = report.observations[signal];
  if (!observation) return "unknown";
  if (IsPressure(signal)) return ShareText(kWholeTime - observation->available);
  return Quantity::Of(observation->available, FormatOf(signal)).ToString();
}

std::string NamesOf(std::span<const ReclaimStep> steps) {
  std::string names;
  for (const ReclaimStep step : steps) {
    if (!names.empty()) names += ", ";
    names += NameOf(step);
  }
  return names;
}

// Whether an eviction waits only for the disk use of the pods.
bool AwaitsDiskUse(const CycleReport& report) {
  if (!report.evictions.empty() || report.pause) return false;
  return std::ranges::any_of(report.stale_disk,
                             [](const StaleDiskRecord& stale) { return !stale.measured_at; });
}

Duration InSeconds(Duration duration) {
  return std::chrono::round<std::chrono::seconds>(duration);
}

// What a pass that evicted no pod has to say, but for amounts and times.
std::string ResultOf(const CycleReport& report) {
  std::string result =
      fmt::format("{} {} {} {} {} {} {} {}", NameOf(report.acting_for->signal),
                  report.acting_for->IsHard(), report.pause.has_value(), AwaitsDiskUse(report),
                  report.reclaim_under_way, report.relieved_by_reclaim,
                  NamesOf(report.reclaim_attempted), fmt::join(report.reclaim_errors, " "));
  for (const SurvivorRecord& survivor : report.survivors) result += " " + survivor.pod_uid;
  return result;
}

}  // namespace

void PassLog::Threshold(const CycleReport& report) const {
  const Signal signal = report.acting_for->signal;
  log_.Warn("eviction manager: attempting to reclaim",
            {{"resourceName", NameOf(ResourceOf(signal))},
             {"signal", NameOf(signal)},
             {IsPressure(signal) ? "stalled" : "available", AmountOf(report, signal)},
             {"kind", report.acting_for->IsHard() ? "hard" : "soft"}});
}

void PassLog::Reclaim(const CycleReport& report) const {
  if (report.reclaim_under_way) {
    log_.Info("eviction manager: reclaim is under way, no pod is evicted before it is over",
              {{"what", NamesOf(report.reclaim_attempted)}});
    return;
  }
  for (const ReclaimStep step : report.reclaim_attempted) {
    log_.Info("eviction manager: attempted to delete", {{"what", NameOf(step)}});
  }
  for (const std::string& error : report.reclaim_errors) {
    log_.Warn("eviction manager: unexpected error when attempting to reduce resource pressure",
              {{"err", error}});
  }
  if (report.relieved_by_reclaim) {
    log_.Info("eviction manager: able to reduce resource pressure without evicting pods.");
  }
}

// "default/web 1m24s, default/db unknown", and how many more there are.
std::string PassLog::AgesOf(const CycleReport& report) const {
  constexpr std::size_t kMostNamed = 10;
  std::string ages;
  for (std::size_t i = 0; i < std::min(report.stale_disk.size(), kMostNamed); ++i) {
    const StaleDiskRecord& stale = report.stale_disk[i];
    ages += fmt::format(
        "{}{} {}", i == 0 ? "" : ", ", pods_.NameOfPod(stale.pod_uid),
        stale.measured_at ? FormatDuration(InSeconds(report.at - *stale.measured_at)) : "unknown");
  }
  const std::size_t count = report.stale_disk.size();
  return count > kMostNamed ? ages + fmt::format(", {} more", count - kMostNamed) : ages;
}

void PassLog::Eviction(const EvictionRecord& eviction) const {
  const std::string name = pods_.NameOfPod(eviction.order.pod_uid);
  if (eviction.kill_error) {
    return log_.Error("eviction manager: pod failed to evict",
                      {{"pod", name}, {"err", *eviction.kill_error}});
  }
  log_.Warn("eviction manager: pod is evicted successfully",
            {{"pod", name},
             {"gracePeriod", fmt::to_string(eviction.order.grace_period_seconds)},
             {"message", eviction.order.message}});
}

void PassLog::Evictions(const CycleReport& report) const {
  if (AwaitsDiskUse(report)) {
    log_.Info("eviction manager: no pod is evicted before pods' disk use is measured",
              {{"pods", std::to_string(report.stale_disk.size())}});
    return;
  }
  if (!report.stale_disk.empty() && !report.pause) {
    log_.Warn(
        "eviction manager: pods' disk use could not be measured in time, the last known figures "
        "are used",
        {{"age", AgesOf(report)}});
  }
  if (report.ranked_for && !report.pause) {
    log_.Info("eviction manager: must evict pod(s) to reclaim",
              {{"resourceName", NameOf(ResourceOf(*report.ranked_for))}});
  }
  for (const EvictionRecord& eviction : report.evictions) Eviction(eviction);
  if (report.ranked_for && report.evictions.empty() && !report.pause) {
    log_.Warn("eviction manager: unable to evict any pods from the node");
    if (const std::size_t observed = pods_.CountObserved(); observed > 0) {
      log_.Warn("eviction manager: foreign pods are only observed (adopt: observe)",
                {{"count", std::to_string(observed)}});
    }
  }
}

void PassLog::Survivors(const CycleReport& report) const {
  for (const SurvivorRecord& survivor : report.survivors) {
    log_.Error("eviction manager: pod is still alive although it was killed, it is killed again",
               {{"pod", pods_.NameOfPod(survivor.pod_uid)},
                {"for", FormatDuration(InSeconds(report.at - survivor.since))},
                {"kills", std::to_string(survivor.kills)}});
  }
}

void PassLog::Events(const CycleReport& report) const {
  for (const Event& event : report.events) {
    const bool of_node = event.object == "node";
    events_.Add(report.at, of_node ? std::string() : pods_.NameOfPod(event.object), event);
  }
}

void PassLog::Granted(const CycleReport& report) const {
  for (const EvictionRecord& eviction : report.evictions) Eviction(eviction);
  Events(report);
}

void PassLog::Waits(const EvictionPause& pause) const {
  log_.Warn("eviction manager: the next eviction waits", {{"pod", pods_.NameOfPod(pause.pod_uid)},
                                                          {"reason", NameOf(pause.reason)},
                                                          {"until", FormatInstant(pause.until)},
                                                          {"why", TextOf(pause.reason)}});
}

void PassLog::HeldBy(const CycleReport& report, std::span<const Holders> all,
                     bool pause_is_new) const {
  if (!report.acting_for || (report.evictions.empty() && !pause_is_new)) return;
  for (const Holders& holders : all) {
    if (ResourceOf(holders.signal) != ResourceOf(report.acting_for->signal)) continue;
    if (!AreOthers(holders)) continue;
    const std::string_view held = NameOfStore(holders.signal);
    log_.Warn(
        fmt::format("eviction manager: most of the {} {} not held by pods that may be evicted",
                    held, held == "inodes" ? "are" : "is"),
        {{"held", TextOf(holders)}});
  }
}

void PassLog::KilledEarly(const EarlyKill& kill) const {
  const std::string name = pods_.NameOfPod(kill.pod_uid);
  const std::string text = TextOf(kill);
  log_.Warn("eviction manager: pod is killed before its grace period is over",
            {{"pod", name}, {"why", text}});
  events_.Add(kill.at, name,
              {.object = kill.pod_uid,
               .type = EventType::kWarning,
               .reason = "KilledEarly",
               .message = text,
               .annotations = {}});
}

bool PassLog::IsRepeated(const CycleReport& report) {
  constexpr Duration kKubeletsInterval = std::chrono::seconds(10);
  std::string result = ResultOf(report);
  if (result == result_ && report.at < logged_at_ + kKubeletsInterval) return true;
  result_ = std::move(result);
  logged_at_ = report.at;
  return false;
}

void PassLog::Add(const CycleReport& report, NodeConditions before) {
  const bool evicted = !report.evictions.empty();
  const bool changed = !(before == report.conditions());
  if (!report.acting_for && !evicted) {
    log_.Debug("eviction manager: no resources are starved");
    if (!changed) return;
  } else if (!evicted && !changed && IsRepeated(report)) {
    return;
  }
  if (report.acting_for) Threshold(report);
  Reclaim(report);
  Evictions(report);
  Survivors(report);
  Events(report);
  for (Event& event : ConditionEvents(before, report.conditions())) {
    events_.Add(report.at, {}, std::move(event));
  }
}

}  // namespace jettison
