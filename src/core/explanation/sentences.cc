#include <fmt/format.h>

#include <array>
#include <cmath>

#include "core/explanation/explanation_text.h"
#include "core/model/pressure.h"

namespace jettison {
namespace {

using Change = Otherwise::Change;

// Inodes and process ids cannot be requested.
std::string_view ARequestOf(Signal signal) {
  const Resource resource = ResourceOf(signal);
  return resource == Resource::kMemory || resource == Resource::kSwap
             ? "a memory request"
             : "an ephemeral-storage request";
}

std::string Available(const Otherwise& otherwise, Signal signal, bool now) {
  if (IsPressure(signal)) {
    return fmt::format("{} {} less of the time {} lost", now ? "If" : "Had",
                       AmountText(signal, otherwise.by), now ? "were" : "been");
  }
  return fmt::format("{} {} more {} available", now ? "If" : "Had", BothTexts(signal, otherwise.by),
                     now ? "were" : "been");
}

std::string If(const Otherwise& otherwise, Signal signal, bool now) {
  switch (otherwise.change) {
    case Change::kUsage:
      return fmt::format("{} {} used {} less{}", now ? "If" : "Had", otherwise.pod,
                         BothTexts(signal, otherwise.by),
                         ResourceOf(signal) == Resource::kSwap ? " of swap" : "");
    case Change::kRequest:
      return fmt::format("With {} of {} or more for {}", ARequestOf(signal),
                         BothTexts(signal, otherwise.to), otherwise.pod);
    case Change::kPriority:
      return fmt::format("With a priority of {} or more for {}", otherwise.to, otherwise.pod);
    case Change::kAvailable: return Available(otherwise, signal, now);
  }
  __builtin_unreachable();
}

std::string Then(const Otherwise& otherwise, bool now) {
  const char* evicted = now ? "would be evicted" : "would have been evicted";
  if (!otherwise.victim.empty()) return fmt::format("{} {}", otherwise.victim, evicted);
  const bool may_not = otherwise.outcome == PassOutcome::kNobodyMayGo;
  return fmt::format("no pod {}{}", evicted, may_not ? ": none may be evicted" : "");
}

// The subject of the headline: the pod whose eviction is explained, or all evicted pods.
std::string WhoOf(const PassExplanation& explanation) {
  if (explanation.subject) return explanation.subject->FullName();
  const std::vector<EvictedPod>& pods = explanation.evicted;
  std::string names;
  for (std::size_t i = 0; i < pods.size(); ++i) {
    if (i > 0) names += i + 1 == pods.size() ? " and " : ", ";
    names += pods[i].pod.FullName();
  }
  return names;
}

// Why nothing had to be done: thresholds that are met may still wait.
std::string Calm(const PassExplanation& explanation) {
  for (const ThresholdFacts& facts : explanation.thresholds) {
    if (!facts.met) continue;
    const std::string_view name = NameOf(facts.threshold.signal);
    if (facts.in_margin && facts.acting) {
      return fmt::format(
          "{} {} not below the kubelet's threshold, and no pod {} much more than it "
          "requests",
          name, explanation.hypothetical ? "is" : "was",
          explanation.hypothetical ? "holds" : "held");
    }
    if (!facts.grace_left) return fmt::format("the threshold of {} waits for fresh figures", name);
    return fmt::format("the soft threshold of {} has {} of its grace period left", name,
                       ShortDuration(*facts.grace_left));
  }
  return explanation.hypothetical ? "no threshold is met" : "no threshold was met";
}

// "the node was low on memory"; empty where no threshold was acted for.
std::string CauseOf(const PassExplanation& explanation) {
  if (!explanation.threshold) return "";
  const Signal signal = explanation.ActedFor()->threshold.signal;
  return fmt::format("the node {} {} {}", explanation.hypothetical ? "is" : "was",
                     IsPressure(signal) ? "stalled on" : "low on", NameOf(ResourceOf(signal)));
}

}  // namespace

std::string SentenceOf(const Otherwise& otherwise, Signal signal, bool hypothetical) {
  std::string sentence = If(otherwise, signal, hypothetical) + ", " + Then(otherwise, hypothetical);
  if (otherwise.signal) sentence += fmt::format(" for {}", NameOf(*otherwise.signal));
  if (otherwise.after_reclaim) {
    sentence +=
        hypothetical ? ", if a reclaim frees too little" : ", if a reclaim had freed too little";
  }
  return sentence + ".";
}

std::string HeadlineOf(const PassExplanation& explanation) {
  const bool now = explanation.hypothetical;
  const char* would = now ? "would be" : (explanation.dry_run ? "would have been" : "was");
  const std::string cause = CauseOf(explanation);
  switch (explanation.outcome) {
    case PassOutcome::kEvicted:
      return fmt::format("{} {} evicted: {}.", WhoOf(explanation), would, cause);
    case PassOutcome::kStorageLimits:
      if (std::string_view(would) == "was" && explanation.evicted.size() > 1 &&
          !explanation.subject) {
        would = "were";
      }
      return fmt::format("{} {} evicted for more local storage than allowed.", WhoOf(explanation),
                         would);
    case PassOutcome::kReclaimUnderWay:
      return fmt::format("No pod {} evicted yet: {}, and a reclaim is under way.", would, cause);
    case PassOutcome::kRelieved:
      return fmt::format("No pod {} evicted: {}, and a reclaim was enough.", would, cause);
    case PassOutcome::kPaused:
      return fmt::format("No pod {} evicted yet: {}, but the next eviction waits.", would, cause);
    case PassOutcome::kNobodyMayGo:
      return fmt::format("No pod could be evicted, although {}: none may be evicted.", cause);
    case PassOutcome::kAwaitsDiskUse:
      return fmt::format(
          "No pod {} evicted yet: {}, and the pods' disk use is still being measured.", would,
          cause);
    case PassOutcome::kNothing:
      return fmt::format("No pod {} evicted: {}.", would, Calm(explanation));
  }
  __builtin_unreachable();
}

std::string AmountText(Signal signal, std::int64_t amount) {
  if (UnitNameOf(signal) == "share") return ShareText(amount);
  return Quantity::Of(amount, FormatOf(signal)).ToString();
}

std::string RoundText(Signal signal, std::int64_t amount) {
  constexpr std::int64_t kKi = 1024;
  constexpr std::int64_t kMost = std::int64_t{1} << 62;
  const bool small = amount > -kKi && amount < kKi;
  if (UnitNameOf(signal) != "bytes" || small || amount > kMost || amount < -kMost) {
    return AmountText(signal, amount);
  }
  const std::int64_t half = amount < 0 ? -kKi / 2 : kKi / 2;
  return AmountText(signal, (amount / kKi + (amount % kKi + half) / kKi) * kKi);
}

std::string RoughText(Signal signal, std::int64_t amount) {
  constexpr double kKi = 1024;
  constexpr std::array<const char*, 5> kUnits = {"KiB", "MiB", "GiB", "TiB", "PiB"};
  constexpr std::size_t kShort = 6;  // "1000Mi"
  if (UnitNameOf(signal) != "bytes" || AmountText(signal, amount).size() <= kShort) return "";
  double value = static_cast<double>(amount) / kKi;
  std::size_t unit = 0;
  for (; std::abs(value) >= kKi && unit + 1 < kUnits.size(); ++unit) value /= kKi;
  return fmt::format("{:.1f} {}", value, kUnits[unit]);
}

std::string BothTexts(Signal signal, std::int64_t amount) {
  const std::string rough = RoughText(signal, amount);
  const std::string exact = AmountText(signal, amount);
  return rough.empty() ? exact : fmt::format("{} ({})", exact, rough);
}

std::string ShortDuration(Duration duration) {
  return FormatDuration(std::chrono::duration_cast<std::chrono::milliseconds>(duration));
}

}  // namespace jettison
