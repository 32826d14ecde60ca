#include "agent/evictions/pass_log.h"

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

void LogThreshold(const CycleReport& report, const Log& log) {
  const Signal signal = report.acting_for->signal;
  log.Warn("eviction manager: attempting to reclaim",
           {{"resourceName", NameOf(ResourceOf(signal))},
            {"signal", NameOf(signal)},
            {IsPressure(signal) ? "stalled" : "available", AmountOf(report, signal)},
            {"kind", report.acting_for->IsHard() ? "hard" : "soft"}});
}

std::string NamesOf(std::span<const ReclaimStep> steps) {
  std::string names;
  for (const ReclaimStep step : steps) {
    if (!names.empty()) names += ", ";
    names += NameOf(step);
  }
  return names;
}

void LogReclaim(const CycleReport& report, const Log& log) {
  if (report.reclaim_under_way) {
    log.Info("eviction manager: reclaim is under way, no pod is evicted before it is over",
             {{"what", NamesOf(report.reclaim_attempted)}});
    return;
  }
  for (const ReclaimStep step : report.reclaim_attempted) {
    log.Info("eviction manager: attempted to delete", {{"what", NameOf(step)}});
  }
  for (const std::string& error : report.reclaim_errors) {
    log.Warn("eviction manager: unexpected error when attempting to reduce resource pressure",
             {{"err", error}});
  }
  if (report.relieved_by_reclaim) {
    log.Info("eviction manager: able to reduce resource pressure without evicting pods.");
  }
}

// "default/web 1m24s, default/db unknown", and how many more there are.
std::string AgesOf(const CycleReport& report, const PodTable& pods) {
  constexpr std::size_t kMostNamed = 10;
  std::string ages;
  for (std::size_t i = 0; i < std::min(report.stale_disk.size(), kMostNamed); ++i) {
    const StaleDiskRecord& stale = report.stale_disk[i];
    const auto age = stale.measured_at ? FormatDuration(std::chrono::round<std::chrono::seconds>(
                                             report.at - *stale.measured_at))
                                       : std::string("unknown");
    ages += fmt::format("{}{} {}", i == 0 ? "" : ", ", pods.NameOfPod(stale.pod_uid), age);
  }
  const std::size_t count = report.stale_disk.size();
  return count > kMostNamed ? ages + fmt::format(", {} more", count - kMostNamed) : ages;
}

// Whether an eviction waits only for the disk use of the pods.
bool AwaitsDiskUse(const CycleReport& report) {
  if (!report.evictions.empty() || report.pause) return false;
  return std::ranges::any_of(report.stale_disk,
                             [](const StaleDiskRecord& stale) { return !stale.measured_at; });
}

void LogEviction(const EvictionRecord& eviction, const PodTable& pods, const Log& log) {
  const std::string name = pods.NameOfPod(eviction.order.pod_uid);
  if (eviction.kill_error) {
    return log.Error("eviction manager: pod failed to evict",
                     {{"pod", name}, {"err", *eviction.kill_error}});
  }
  log.Warn("eviction manager: pod is evicted successfully",
           {{"pod", name},
            {"gracePeriod", fmt::to_string(eviction.order.grace_period_seconds)},
            {"message", eviction.order.message}});
}

void LogEvictions(const CycleReport& report, const PodTable& pods, const Log& log) {
  if (AwaitsDiskUse(report)) {
    log.Info("eviction manager: no pod is evicted before pods' disk use is measured",
             {{"pods", std::to_string(report.stale_disk.size())}});
    return;
  }
  if (!report.stale_disk.empty() && !report.pause) {
    log.Warn(
        "eviction manager: pods' disk use could not be measured in time, the last known figures "
        "are used",
        {{"age", AgesOf(report, pods)}});
  }
  if (report.ranked_for && !report.pause) {
    log.Info("eviction manager: must evict pod(s) to reclaim",
             {{"resourceName", NameOf(ResourceOf(*report.ranked_for))}});
  }
  for (const EvictionRecord& eviction : report.evictions) LogEviction(eviction, pods, log);
  if (report.ranked_for && report.evictions.empty() && !report.pause) {
    log.Warn("eviction manager: unable to evict any pods from the node");
    if (const std::size_t observed = pods.CountObserved(); observed > 0) {
      log.Warn("eviction manager: foreign pods are only observed (adopt: observe)",
               {{"count", std::to_string(observed)}});
    }
  }
}

void LogSurvivors(const CycleReport& report, const PodTable& pods, const Log& log) {
  for (const SurvivorRecord& survivor : report.survivors) {
    log.Error("eviction manager: pod is still alive although it was killed, it is killed again",
              {{"pod", pods.NameOfPod(survivor.pod_uid)},
               {"for", FormatDuration(
                           std::chrono::round<std::chrono::seconds>(report.at - survivor.since))},
               {"kills", std::to_string(survivor.kills)}});
  }
}

void AddEvents(const CycleReport& report, const PodTable& pods, EventLog& events) {
  for (const Event& event : report.events) {
    const bool of_node = event.object == "node";
    events.Add(report.at, of_node ? std::string() : pods.NameOfPod(event.object), event);
  }
}

// What a pass that evicted no pod has to say, but for amounts and times.
std::string ResultOf(const CycleReport& report) {
  const Threshold& threshold = *report.acting_for;
  std::string result =
      fmt::format("{} {} {} {} {} {} {} {}", NameOf(threshold.signal), threshold.IsHard(),
                  report.pause.has_value(), AwaitsDiskUse(report), report.reclaim_under_way,
                  report.relieved_by_reclaim, NamesOf(report.reclaim_attempted),
                  fmt::join(report.reclaim_errors, " "));
  for (const SurvivorRecord& survivor : report.survivors) result += " " + survivor.pod_uid;
  return result;
}

}  // namespace

void LogGranted(const CycleReport& report, const PodTable& pods, EventLog& events, const Log& log) {
  for (const EvictionRecord& eviction : report.evictions) LogEviction(eviction, pods, log);
  AddEvents(report, pods, events);
}

void LogPause(const EvictionPause& pause, const PodTable& pods, const Log& log) {
  log.Warn("eviction manager: the next eviction waits", {{"pod", pods.NameOfPod(pause.pod_uid)},
                                                         {"reason", NameOf(pause.reason)},
                                                         {"until", FormatInstant(pause.until)},
                                                         {"why", TextOf(pause.reason)}});
}

void LogHolders(const CycleReport& report, std::span<const Holders> all, bool pause_is_new,
                const Log& log) {
  if (!report.acting_for || (report.evictions.empty() && !pause_is_new)) return;
  for (const Holders& holders : all) {
    if (ResourceOf(holders.signal) != ResourceOf(report.acting_for->signal)) continue;
    if (!AreOthers(holders)) continue;
    const std::string_view held = NameOfStore(holders.signal);
    log.Warn(fmt::format("eviction manager: most of the {} {} not held by pods that may be evicted",
                         held, held == "inodes" ? "are" : "is"),
             {{"held", TextOf(holders)}});
  }
}

void LogEarlyKill(const EarlyKill& kill, const PodTable& pods, EventLog& events, const Log& log) {
  const std::string name = pods.NameOfPod(kill.pod_uid);
  const std::string text = TextOf(kill);
  log.Warn("eviction manager: pod is killed before its grace period is over",
           {{"pod", name}, {"why", text}});
  events.Add(kill.at, name,
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

void PassLog::Add(const CycleReport& report, NodeConditions before, const PodTable& pods,
                  EventLog& events, const Log& log) {
  const bool evicted = !report.evictions.empty();
  const bool changed = !(before == report.conditions());
  if (!report.acting_for && !evicted) {
    log.Debug("eviction manager: no resources are starved");
    if (!changed) return;
  } else if (!evicted && !changed && IsRepeated(report)) {
    ++repeated_;
    return;
  }
  if (repeated_ > 0) {
    log.Info("eviction manager: passes since then had the same result",
             {{"passes", fmt::to_string(std::exchange(repeated_, 0))}});
  }
  if (report.acting_for) LogThreshold(report, log);
  LogReclaim(report, log);
  LogEvictions(report, pods, log);
  LogSurvivors(report, pods, log);
  AddEvents(report, pods, events);
  for (Event& event : ConditionEvents(before, report.conditions())) {
    events.Add(report.at, {}, std::move(event));
  }
}

}  // namespace jettison
