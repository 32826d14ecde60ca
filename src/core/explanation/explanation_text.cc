#include "core/explanation/explanation_text.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/explanation/text_table.h"
#include "core/model/pressure.h"
#include "core/text/printable.h"
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

// Several limits, a line each.
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

std::string OriginOf(const PassExplanation& explanation) {
  std::string origin;
  if (!explanation.id.empty()) origin = fmt::format("eviction {}, ", explanation.id);
  origin += FormatInstant(explanation.at);
  if (!explanation.hypothetical) origin += fmt::format(", pass {}", explanation.pass);
  if (explanation.dry_run) origin += ", dry run: no pod was told to end";
  return origin + "\n";
}

// The one that was acted for comes first.
std::vector<ThresholdFacts> ThresholdsMet(const PassExplanation& explanation) {
  std::vector<ThresholdFacts> met;
  if (const auto* acted_for = explanation.ActedFor()) met.push_back(*acted_for);
  for (std::size_t i = 0; i < explanation.thresholds.size(); ++i) {
    if (explanation.thresholds[i].met && i != explanation.threshold) {
      met.push_back(explanation.thresholds[i]);
    }
  }
  return met;
}

std::string ReclaimText(const ReclaimFacts& reclaim, Signal signal, bool now) {
  std::string text = "\nRECLAIM\n";
  for (const ReclaimStep step : reclaim.attempted) {
    text += fmt::format("  {} {}\n", step == ReclaimStep::kDeadContainers ? "dead" : "unused",
                        NameOf(step));
  }
  for (const std::string& error : reclaim.errors) text += Wrapped(error, "  failed: ", 4);
  if (now)
    return text +
           "  How much it would free is not known. What follows assumes that it frees nothing.\n";
  if (reclaim.under_way) return text + "  It is not over yet.\n";
  if (reclaim.available_before && reclaim.available_after) {
    const std::int64_t freed = *reclaim.available_after - *reclaim.available_before;
    text += fmt::format(
        "  {} available before, {} afterwards: {} {}\n",
        AmountText(signal, *reclaim.available_before), AmountText(signal, *reclaim.available_after),
        AmountText(signal, freed < 0 ? -freed : freed), freed < 0 ? "lost" : "gained");
  }
  return text + (reclaim.relieved ? "  That was enough.\n" : "  That was not enough.\n");
}

std::string PauseText(const OfPod<EvictionPause>& pause) {
  return "\nWAITS\n" +
         Wrapped(fmt::format(
                     "{} would be evicted next, but its eviction waits until {} at the latest: {}.",
                     pause.pod.FullName(), FormatInstant(pause.record.until),
                     TextOf(pause.record.reason)),
                 "  ", 2);
}

// A heading and what `text_of` says of each of a list; empty where the list is.
template <typename List, typename TextOfOne>
std::string Section(std::string_view heading, const List& list, TextOfOne text_of) {
  if (list.empty()) return "";
  std::string text = fmt::format("\n{}\n", heading);
  for (const auto& each : list) text += text_of(each);
  return text;
}

std::string HoldersText(const Holders& holders) {
  std::string_view heading = "MEMORY";
  if (NameOfStore(holders.signal) == "disk") heading = "DISK";
  if (NameOfStore(holders.signal) == "inodes") heading = "INODES";
  return fmt::format("\nWHAT HOLDS THE {}\n", heading) +
         Wrapped(
             fmt::format("Of {}: {}.", AmountText(holders.signal, holders.all), TextOf(holders)),
             "  ", 2);
}

// The age of the disk figures in the decision that were not measured for the pass.
std::string StaleText(const PassExplanation& explanation) {
  constexpr std::size_t kMostLines = 10;
  const std::span stale(explanation.stale_disk);
  std::string text = Section(
      "DISK USE THAT WAS NOT MEASURED FOR THIS PASS",
      stale.first(std::min(stale.size(), kMostLines)), [&](const auto& each) {
        return fmt::format("  {}: {}\n", Printable(each.pod.FullName()),
                           each.record.measured_at
                               ? ShortDuration(explanation.at - *each.record.measured_at) + " old"
                               : "never measured, so it cannot be evicted");
      });
  if (stale.size() > kMostLines) text += fmt::format("  and {} more\n", stale.size() - kMostLines);
  return text;
}

std::string TextOfOne(const EvictedPod& each) {
  std::string text =
      fmt::format("  {}, grace period {} s, uid {}\n", Printable(each.pod.FullName()),
                  each.record.order.grace_period_seconds, Printable(each.pod.uid));
  text += Wrapped(each.record.order.message, "    ", 4);
  if (!each.counted.empty()) text += Wrapped(each.counted + ".", "    Counted: ", 4);
  if (each.record.kill_error)
    text += Wrapped(*each.record.kill_error, "    It could not be ended: ", 4);
  return text;
}

std::string SectionsOf(const PassExplanation& explanation) {
  std::string text;
  if (explanation.signal) {
    text += fmt::format("\nSIGNAL  {}\n{}", NameOf(explanation.signal->signal),
                        FiguresText(*explanation.signal));
  }
  const std::vector<ThresholdFacts> met = ThresholdsMet(explanation);
  if (!met.empty() && !explanation.hypothetical) text += "\nTHRESHOLDS MET\n" + ThresholdTable(met);
  if (!explanation.reclaim.attempted.empty()) {
    text += ReclaimText(explanation.reclaim, SignalOf(explanation), explanation.hypothetical);
  }
  for (const Holders& holders : explanation.holders) {
    if (AreOthers(holders)) text += HoldersText(holders);
  }
  text += Section(
      "KILLED BEFORE ITS GRACE PERIOD WAS OVER", explanation.early_kills, [](const auto& each) {
        return Wrapped(fmt::format("{} was {}.", each.pod.FullName(), TextOf(each.record)), "  ",
                       4);
      });
  if (explanation.pause) text += PauseText(*explanation.pause);
  text += Section("SPARED BY SOFT THRESHOLDS", explanation.spared, [](const auto& each) {
    return Wrapped(fmt::format("{} until {}: {}", each.pod.FullName(),
                               FormatInstant(each.record.until), each.record.why),
                   "  ", 4);
  });
  if (!explanation.limits.empty()) text += "\nSTORAGE LIMITS\n" + LimitsText(explanation.limits);
  if (explanation.order) text += "\n" + TextOf(*explanation.order);
  text += StaleText(explanation);
  const std::string_view evicted = explanation.dry_run ? "WOULD HAVE BEEN EVICTED" : "EVICTED";
  text += Section(explanation.hypothetical ? "WOULD BE EVICTED" : evicted, explanation.evicted,
                  TextOfOne);
  text += Section(
      "KILLED AGAIN, BECAUSE IT IS STILL ALIVE", explanation.survivors, [&](const auto& each) {
        return fmt::format("  {}: {} kills within {}\n", Printable(each.pod.FullName()),
                           each.record.kills, ShortDuration(explanation.at - each.record.since));
      });
  return text + Section("OTHERWISE", explanation.otherwise, [](const Otherwise& otherwise) {
           return Wrapped(otherwise.text, "  - ", 4);
         });
}

std::string FirstText(const PodOrder& order) {
  if (order.pods.empty()) return "no pod has been measured";
  std::string text;
  for (const RankedPod& pod : order.pods) {
    if (!text.empty()) text += ", then ";
    text += pod.pod.FullName();
    if (pod.usage) text += fmt::format(" ({})", AmountText(order.signal, *pod.usage));
    if (!pod.may_go) text += " (not evicted)";
  }
  return text;
}

// The pod between its neighbours.
PodOrder PartOf(const PodPlace& place) {
  PodOrder part{.signal = place.signal, .total = place.total, .pods = {}};
  if (place.before) part.pods.push_back(*place.before);
  part.pods.push_back(place.self);
  if (place.after) part.pods.push_back(*place.after);
  return part;
}

std::string ShiftOf(const PodPlace& place) {
  if (place.self.chosen) {
    if (!place.less_usage) return "It would be evicted first, whatever it used.";
    return fmt::format("It would be evicted first, but not if it used {} less.",
                       BothTexts(place.signal, *place.less_usage));
  }
  if (place.more_usage)
    return fmt::format("It would be evicted first if it used {} more.",
                       BothTexts(place.signal, *place.more_usage));
  if (place.self.keeps_to_request) {
    return "It keeps to its request, so it is not evicted before the kubelet would.";
  }
  if (!place.self.may_go) return "It is not evicted for this signal.";
  return "It would not be evicted first, whatever it used.";
}

}  // namespace

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

Signal SignalOf(const PassExplanation& explanation) {
  return explanation.threshold ? explanation.ActedFor()->threshold.signal
                               : Signal::kNodeFsAvailable;
}

std::string TextOf(const PassExplanation& explanation) {
  return Printable(HeadlineOf(explanation)) + "\n" + OriginOf(explanation) +
         SectionsOf(explanation);
}

std::string TextOf(const NodeExplanation& explanation) {
  std::string text = Printable(HeadlineOf(explanation.pass)) + "\n" + OriginOf(explanation.pass);
  if (explanation.waiting_for_cleanup) {
    text += "Evicted pods are being cleaned up. Few others are evicted before that is over.\n";
  }
  text += "\nTHRESHOLDS\n" + ThresholdTable(explanation.pass.thresholds);
  text += "\nEVICTED FIRST, BY SIGNAL\n";
  std::size_t width = 0;
  for (const PodOrder& order : explanation.first) {
    width = std::max(width, NameOf(order.signal).size());
  }
  for (const PodOrder& order : explanation.first) {
    text += Wrapped(FirstText(order), fmt::format("  {:<{}}  ", NameOf(order.signal), width),
                    width + 4);
  }
  return text + SectionsOf(explanation.pass);
}

std::string TextOf(const PodOrder& order) {
  const bool of_counts = RowOf(ResourceOf(order.signal)).ranked_by == RankedBy::kCount;
  TextTable table({Align::kLeft, Align::kRight, Align::kLeft, Align::kLeft, Align::kRight,
                   Align::kRight, Align::kRight, Align::kRight, Align::kLeft});
  table.Add({"", "#", "POD", "OVER", "PRIORITY", "USAGE", "REQUEST", of_counts ? "COUNT" : "EXCESS",
             "DECIDED BY"});
  for (const RankedPod& pod : order.pods) table.Add(RowOf(pod, order.signal));
  std::string text = fmt::format("ORDER OF EVICTION for {}, {} pod{}\n{}", NameOf(order.signal),
                                 order.total, order.total == 1 ? "" : "s", table.Text(0));
  if (order.pods.size() < order.total) {
    text += fmt::format("   {} of {} pods\n", order.pods.size(), order.total);
  }
  return text;
}

std::string TextOf(const PodExplanation& explanation) {
  std::string text = fmt::format("{}: {}, priority {}", Printable(explanation.pod.FullName()),
                                 NameOf(explanation.qos), explanation.priority);
  if (!explanation.activity.empty()) text += ", " + explanation.activity;
  text +=
      fmt::format("\nuid {}, {}\n", Printable(explanation.pod.uid), FormatInstant(explanation.at));
  text += explanation.protected_by.empty()
              ? "It may be evicted.\n"
              : fmt::format("It is never evicted: {}.\n", explanation.protected_by);
  for (const PodPlace& place : explanation.places) {
    text += "\n" + TextOf(PartOf(place)) + Wrapped(ShiftOf(place), "  ", 2);
  }
  if (!explanation.limits.empty()) text += "\nSTORAGE LIMITS\n" + LimitsText(explanation.limits);
  if (!explanation.evictions.empty()) {
    std::string ids;
    for (const std::string& id : explanation.evictions) ids += (ids.empty() ? "" : ", ") + id;
    text += Wrapped(ids + ".", "\nEvicted before: ", 2);
  }
  return text;
}

}  // namespace jettison
