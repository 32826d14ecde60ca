#include <fmt/format.h>

#include "core/explanation/explanation_text.h"
#include "core/explanation/text_table.h"
#include "core/model/pressure.h"
#include "core/thresholds/threshold_settings.h"

namespace jettison {
namespace {

using Align = TextTable::Align;

// "memory.available < 100Mi"; for pressure "memory.pressure.full.avg10 > 20%".
std::string Condition(const Threshold& threshold) {
  return fmt::format("{} {} {}", NameOf(threshold.signal), IsPressure(threshold.signal) ? '>' : '<',
                     ThresholdText(threshold.signal, threshold.value));
}

// Shares are shown as the lost part, as in their thresholds.
std::string Told(Signal signal, std::int64_t available) {
  return RoundText(signal, IsPressure(signal) ? kWholeTime - available : available);
}

std::string Distance(const ThresholdFacts& facts) {
  const Signal signal = facts.threshold.signal;
  const std::int64_t left = facts.seen->available - *facts.line;
  const std::string amount = RoundText(signal, left < 0 ? -left : left);
  if (left < 0) return amount + (IsPressure(signal) ? " too much" : " short");
  return amount + (IsPressure(signal) ? " below it" : " above it");
}

std::string StateOf(const ThresholdFacts& facts) {
  if (!facts.seen && !facts.met) return "not measured";
  if (!facts.met) {
    if (!facts.time_to) return "not met";
    return "not met; at this pace it is met in " + ShortDuration(*facts.time_to);
  }
  std::string state = "met for " + ShortDuration(facts.met_for.value_or(Duration{0}));
  if (facts.by_min_reclaim) state += ", held by minimum reclaim";
  if (facts.grace_left) return state + ", grace left " + ShortDuration(*facts.grace_left);
  if (facts.acting && facts.in_margin) return state + ", acts on pods above their request";
  return state + (facts.acting ? ", acts" : ", waits for fresh figures");
}

std::vector<std::string> RowOf(const RankedPod& pod, Signal signal) {
  std::string note(pod.decided_by);
  if (note == "usage minus request") note = RowOf(ResourceOf(signal)).usage;
  if (pod.critical) {
    note += note.empty() ? "never evicted" : "; never evicted";
  } else if (!pod.may_go) {
    note += note.empty() ? "not evicted" : "; not evicted";
    if (pod.keeps_to_request) note += " within its request";
  }
  return {pod.chosen ? ">" : "",
          fmt::to_string(pod.place),
          pod.pod.FullName(),
          pod.exceeds_request ? "yes" : "no",
          fmt::to_string(pod.priority),
          pod.usage ? AmountText(signal, *pod.usage) : "unknown",
          AmountText(signal, pod.request),
          pod.measured ? AmountText(signal, pod.excess) : "",
          note};
}

std::string WhatIsLimited(const StorageLimitFacts& limit) {
  switch (limit.kind) {
    case StorageLimitKind::kEmptyDir: return "emptyDir volume " + limit.name;
    case StorageLimitKind::kPod: return "the pod as a whole";
    case StorageLimitKind::kContainer: return "container " + limit.name;
  }
  __builtin_unreachable();
}

}  // namespace

std::string FiguresText(const SignalReading& reading) {
  if (!reading.seen) return "  It could not be measured.\n";
  TextTable table({Align::kLeft, Align::kRight, Align::kRight});
  for (const SignalFigure& figure : reading.figures) {
    table.Add({fmt::format("{} {}", " -="[static_cast<std::size_t>(figure.role)], figure.label),
               AmountText(reading.signal, figure.amount),
               RoughText(reading.signal, figure.amount)});
  }
  return table.Text(2);
}

std::string ThresholdTable(std::span<const ThresholdFacts> thresholds) {
  TextTable table(
      {Align::kLeft, Align::kRight, Align::kRight, Align::kRight, Align::kRight, Align::kLeft});
  table.Add({"MET WHEN", "THRESHOLD", "NOW", "DISTANCE", "ENDS AT", "STATE"});
  for (const ThresholdFacts& facts : thresholds) {
    const Signal signal = facts.threshold.signal;
    const std::string name =
        Condition(facts.threshold) +
        (facts.threshold.IsHard() ? "" : " for " + FormatDuration(facts.threshold.grace_period));
    if (!facts.seen) {
      table.Add({name, "", "unknown", "", "", StateOf(facts)});
      continue;
    }
    table.Add({name, Told(signal, *facts.line), Told(signal, facts.seen->available),
               Distance(facts), Told(signal, facts.end.value_or(*facts.line)), StateOf(facts)});
  }
  return table.Text(2);
}

std::string OrderText(const PodOrder& order) {
  const bool of_counts = RowOf(ResourceOf(order.signal)).ranked_by == RankedBy::kCount;
  TextTable table({Align::kLeft, Align::kRight, Align::kLeft, Align::kLeft, Align::kRight,
                   Align::kRight, Align::kRight, Align::kRight, Align::kLeft});
  table.Add({"", "#", "POD", "OVER", "PRIORITY", "USAGE", "REQUEST", of_counts ? "COUNT" : "EXCESS",
             "DECIDED BY"});
  for (const RankedPod& pod : order.pods) table.Add(RowOf(pod, order.signal));
  std::string text = table.Text(0);
  if (order.pods.size() < order.total) {
    text += fmt::format("   {} of {} pods\n", order.pods.size(), order.total);
  }
  return text;
}

std::string LimitsText(std::span<const StorageLimitFacts> limits) {
  TextTable table(
      {Align::kLeft, Align::kLeft, Align::kRight, Align::kRight, Align::kRight, Align::kLeft});
  table.Add({"POD", "LIMIT OF", "USED", "LIMIT", "LEFT", ""});
  for (const StorageLimitFacts& limit : limits) {
    const auto bytes = [](std::int64_t amount) { return Quantity::Of(amount).ToString(); };
    table.Add({limit.pod.FullName(), WhatIsLimited(limit),
               limit.used ? bytes(*limit.used) : "unknown", bytes(limit.limit),
               limit.used ? bytes(limit.limit - *limit.used) : "",
               limit.broken ? "exceeded: reason for the eviction" : ""});
  }
  return table.Text(2);
}

}  // namespace jettison
