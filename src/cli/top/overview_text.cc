#include "cli/top/overview_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "cli/terminal/amount_text.h"

namespace jettison {
namespace {

bool IsBeingEvicted(const OverviewPod& pod) {
  return pod.reason == "Evicted" &&
         (pod.activity == "terminating" || pod.activity == "cleaning up");
}

}  // namespace

std::string PodNameText(const OverviewPod& pod, bool with_namespace) {
  return with_namespace ? fmt::format("{}/{}", pod.namespace_, pod.name) : pod.name;
}

bool SeveralNamespaces(const std::vector<OverviewPod>& pods) {
  return std::ranges::any_of(
      pods, [&](const OverviewPod& pod) { return pod.namespace_ != pods.front().namespace_; });
}

std::string PodStateText(const OverviewPod& pod, Instant now) {
  if (IsBeingEvicted(pod)) return "evicted";
  if (!pod.waiting_reason.empty()) return pod.activity + ": " + pod.waiting_reason;
  if (pod.activity == "running") return pod.evictions > 0 ? "running again" : "running";
  if (!pod.refused_for.empty()) {
    return "waiting: refused, " + pod.refused_for +
           (pod.refused_until ? ", until " + ClockText(*pod.refused_until) + " at the earliest"
                              : "");
  }
  if (pod.comes_back_after.empty()) return pod.activity;
  if (!pod.comes_back_at) return "back after " + pod.comes_back_after;
  return fmt::format("back in {} at the earliest, after {}",
                     SpanText(std::max(Elapsed(now, *pod.comes_back_at), Duration::zero())),
                     pod.comes_back_after);
}

std::string EventReasonText(const OverviewEvent& event) {
  return event.refused_for.empty() ? event.reason : "Refused";
}

Ink PodStateInk(const OverviewPod& pod) {
  if (IsBeingEvicted(pod)) return Ink::kBadStrong;
  if (pod.activity == "running" && pod.waiting_reason.empty()) return Ink::kGood;
  return pod.evictions > 0 ? Ink::kBad : Ink::kWarning;
}

std::string ThresholdStateText(const OverviewThreshold& threshold, Instant now) {
  if (!threshold.met) {
    return threshold.time_to ? fmt::format("in {}", SpanText(*threshold.time_to)) : "far";
  }
  if (!threshold.since) return "met";
  const Duration met = std::max(Elapsed(*threshold.since, now), Duration::zero());
  if (threshold.hard || threshold.overdue) return fmt::format("met for {}", SpanText(met));
  return fmt::format("met for {}, acts in {}", SpanText(met),
                     SpanText(std::max(threshold.grace_period, Duration::zero()) - met));
}

std::string PressureText(const Overview& overview) {
  std::string text;
  for (const OverviewCondition& condition : overview.conditions) {
    if (!condition.status) continue;
    text += text.empty() ? "" : ", ";
    text += condition.type;
  }
  return text;
}

std::string ClockText(Instant at) {
  const auto seconds = std::chrono::floor<std::chrono::seconds>(at);
  const std::chrono::hh_mm_ss time(seconds - std::chrono::floor<std::chrono::days>(seconds));
  return fmt::format("{:02}:{:02}:{:02}", time.hours().count(), time.minutes().count(),
                     time.seconds().count());
}

}  // namespace jettison
