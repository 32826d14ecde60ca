#include "sim/recommend/recommendation.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <string_view>
#include <tuple>

#include "core/evaluate/evaluate.h"
#include "core/explanation/text_table.h"
#include "core/json/json_writer.h"
#include "core/text/number.h"
#include "core/text/spelling.h"
#include "core/thresholds/threshold_settings.h"
#include "sim/report/report_fields.h"
#include "sim/report/simulation_report.h"

namespace jettison {
namespace {

constexpr std::int64_t kKib = 1024;
constexpr std::int64_t kMib = kKib * 1024;
constexpr std::int64_t kDefaultHard = 100 * kMib;

// With two significant digits.
double Rounded(double value) {
  if (value <= 0) return 0;
  const double step = std::pow(10.0, std::floor(std::log10(value)) - 1);
  return std::round(value / step) * step;
}

Quantity RoundedBytes(double bytes) {
  const std::int64_t unit = bytes < static_cast<double>(10 * kMib) ? kKib : kMib;
  const auto units = std::llround(Rounded(bytes / static_cast<double>(unit)));
  return Quantity::Of(std::max<std::int64_t>(units, 1) * unit);
}

// The value times the factor, rounded to what a person would write: two digits of a percentage, of
// MiB, or of KiB below 10Mi.
ThresholdValue Scaled(const ThresholdValue& value, double factor) {
  if (const auto* share = std::get_if<Percentage>(&value)) {
    const double percent = Rounded(static_cast<double>(share->fraction) * 100 * factor);
    return Percentage{static_cast<float>(percent / 100)};
  }
  return RoundedBytes(static_cast<double>(std::get<Quantity>(value).Value()) * factor);
}

// The thresholds on memory.available of a policy.
struct MemoryLines {
  struct Soft {
    ThresholdValue value;
    Duration grace{0};
    friend bool operator==(const Soft&, const Soft&) = default;
  };
  ThresholdValue hard;
  std::optional<Soft> soft;
  std::optional<ThresholdValue> min_reclaim;
  friend bool operator==(const MemoryLines&, const MemoryLines&) = default;
};

bool IsOf(const Threshold& threshold, bool hard) {
  return threshold.signal == Signal::kMemoryAvailable && threshold.IsHard() == hard;
}

using std::chrono::minutes;
using std::chrono::seconds;

// Halves of an octave around the hard line in force.
constexpr int kLeastStep = -4;
constexpr int kMostStep = 6;
constexpr std::array kSoftFactors = {2.0, 3.0};
constexpr std::array kGraces = {Duration(seconds(30)), Duration(minutes(2))};

std::int64_t BytesOf(const ThresholdValue& value, std::int64_t capacity) {
  return QuantityOf(value, capacity).Value();
}

MemoryLines LinesOf(const PassPolicy& policy) {
  MemoryLines lines{.hard = Quantity::Of(kDefaultHard)};
  for (const Threshold& threshold : policy.thresholds) {
    if (threshold.signal != Signal::kMemoryAvailable) continue;
    if (threshold.IsHard()) {
      lines.hard = threshold.value;
    } else {
      lines.soft = MemoryLines::Soft{threshold.value, threshold.grace_period};
    }
    if (threshold.min_reclaim) lines.min_reclaim = threshold.min_reclaim;
  }
  return lines;
}

// The copy for allocatable memory has these lines too, where the policy has one.
PassPolicy WithLines(PassPolicy policy, const MemoryLines& lines) {
  auto& thresholds = policy.thresholds;
  if (const auto copy = CopyForPods(thresholds)) {
    thresholds[*copy].value = lines.hard;
    thresholds[*copy].min_reclaim = lines.min_reclaim;
  }
  std::erase_if(thresholds, [](const Threshold& each) { return IsOf(each, false); });
  auto hard = std::ranges::find_if(thresholds, [](const Threshold& t) { return IsOf(t, true); });
  if (hard == thresholds.end()) {
    hard = thresholds.insert(thresholds.begin(), {.signal = Signal::kMemoryAvailable});
  }
  hard->value = lines.hard;
  hard->min_reclaim = lines.min_reclaim;
  if (lines.soft) {
    thresholds.insert(hard + 1, {.signal = Signal::kMemoryAvailable,
                                 .value = lines.soft->value,
                                 .grace_period = lines.soft->grace,
                                 .min_reclaim = lines.min_reclaim});
  }
  return policy;
}

std::string LinesText(const MemoryLines& lines) {
  std::string text = "hard " + ThresholdText(lines.hard);
  if (lines.soft) {
    text += fmt::format(", soft {} for {}", ThresholdText(lines.soft->value),
                        FormatDuration(lines.soft->grace));
  }
  if (lines.min_reclaim) text += ", reclaim " + ThresholdText(*lines.min_reclaim);
  return text;
}

}  // namespace

std::vector<CandidatePolicy> GridAround(const PassPolicy& policy, std::int64_t capacity) {
  const MemoryLines in_force = LinesOf(policy);
  const std::int64_t least_hard =
      std::min({BytesOf(in_force.hard, capacity), kDefaultHard, capacity / 16});
  std::vector<MemoryLines> grid;
  const auto add = [&](const MemoryLines& lines) {
    const std::int64_t hard = BytesOf(lines.hard, capacity);
    if (hard < least_hard || hard > capacity / 4) return;
    const std::int64_t soft = lines.soft ? BytesOf(lines.soft->value, capacity) : capacity / 2;
    if (soft <= hard + hard / 16 || soft > capacity / 2) return;
    const bool is_known = lines == in_force || std::ranges::find(grid, lines) != grid.end();
    if (!is_known) grid.push_back(lines);
  };
  for (int step = kLeastStep; step <= kMostStep; ++step) {
    MemoryLines each = in_force;
    if (step != 0) each.hard = Scaled(in_force.hard, std::exp2(step / 2.0));
    add(each);
    each.soft = std::nullopt;
    add(each);
    MemoryLines with_reclaim = each;
    with_reclaim.min_reclaim = Scaled(each.hard, 0.5);
    add(with_reclaim);
    for (const double factor : kSoftFactors) {
      for (const Duration grace : kGraces) {
        each.soft = MemoryLines::Soft{Scaled(each.hard, factor), grace};
        add(each);
      }
    }
  }
  std::vector<CandidatePolicy> policies;
  for (const MemoryLines& lines : grid) {
    policies.push_back(
        {.name = LinesText(lines),
         .policy_for = [lines](const PassPolicy& recorded) { return WithLines(recorded, lines); }});
  }
  return policies;
}

namespace {

auto OrderOf(const PolicyCosts& costs) {
  return std::tuple(costs.IdleMilliGibHours(), costs.evictions, costs.oom_kills);
}

// Whether `a` is nowhere worse than `b` and somewhere better: in evictions, OOM kills and memory
// that was kept free.
bool Dominates(const PolicyCosts& a, const PolicyCosts& b) {
  return a.evictions <= b.evictions && a.oom_kills <= b.oom_kills &&
         a.IdleMilliGibHours() <= b.IdleMilliGibHours() && OrderOf(a) != OrderOf(b);
}

}  // namespace

std::vector<std::size_t> ParetoFront(std::span<const PolicyCosts> costs) {
  std::vector<std::size_t> front;
  for (std::size_t i = 0; i < costs.size(); ++i) {
    bool stands = true;
    for (std::size_t j = 0; j < costs.size() && stands; ++j) {
      const bool same_before = j < i && OrderOf(costs[i]) == OrderOf(costs[j]);
      stands = !same_before && !Dominates(costs[j], costs[i]);
    }
    if (stands) front.push_back(i);
  }
  std::ranges::sort(front, {}, [&](std::size_t i) { return OrderOf(costs[i]); });
  return front;
}

namespace {

constexpr std::array<std::string_view, 3> kPriceNames = {"eviction", "oom", "idle-gib-hour"};
constexpr std::array kPrices = {&Prices::eviction, &Prices::oom_kill, &Prices::idle_gib_hour};

// Takes one "NAME=NUMBER". Returns its fault; empty: there is none.
std::string Take(std::string_view item, Prices& prices) {
  const std::string_view name = item.substr(0, item.find('='));
  const auto at = std::ranges::find(kPriceNames, name);
  if (at == kPriceNames.end()) {
    return fmt::format("--price {}: there is no such price; it has to be {}{}", item,
                       Alternatives(kPriceNames), DidYouMean(name, kPriceNames));
  }
  const auto value = ParseNumber<double>(item.substr(std::min(name.size() + 1, item.size())));
  if (!value || !std::isfinite(*value) || *value < 0) {
    return fmt::format("--price {}: {} must be a number, 0 or more", item, name);
  }
  prices.*kPrices[static_cast<std::size_t>(at - kPriceNames.begin())] = *value;
  return "";
}

}  // namespace

Result<Prices> ParsePrices(std::string_view text) {
  Prices prices;
  std::string faults;
  while (!text.empty()) {
    const std::size_t comma = text.find(',');
    const std::string fault = Take(text.substr(0, comma), prices);
    if (!fault.empty()) faults += (faults.empty() ? "" : "\njettison: ") + fault;
    text = comma == std::string_view::npos ? "" : text.substr(comma + 1);
  }
  if (!faults.empty()) return Fail(ErrorCode::kInvalidArgument, faults);
  return prices;
}

std::string PricesText(const Prices& prices) {
  return fmt::format("eviction={},oom={},idle-gib-hour={}", prices.eviction, prices.oom_kill,
                     prices.idle_gib_hour);
}

double PriceOf(const PolicyCosts& costs, const Prices& prices) {
  return static_cast<double>(costs.evictions) * prices.eviction +
         static_cast<double>(costs.oom_kills) * prices.oom_kill +
         costs.IdleGibHours() * prices.idle_gib_hour;
}

namespace {

// Where only lines on memory are tried, what higher ones evict says nothing about lower ones, and
// evictions for a disk are the same under all of them.
bool WasShort(std::span<const PolicyCosts> costs, bool grid) {
  const PolicyCosts& in_force = costs.front();
  if (in_force.memory_evictions > 0 || in_force.oom_kills > 0) return true;
  return !grid && std::ranges::any_of(costs, [&](const PolicyCosts& each) {
    return each.evictions != in_force.evictions || each.oom_kills != in_force.oom_kills;
  });
}

}  // namespace

Choice Choose(std::span<const PolicyCosts> costs, const Prices& prices, bool grid, double error) {
  Choice choice{.front = ParetoFront(costs)};
  if (costs.empty()) return choice;
  if (!WasShort(costs, grid)) {
    choice.why = Choice::Why::kNoPressure;
    return choice;
  }
  const auto price = [&](const PolicyCosts& each) { return PriceOf(each, prices); };
  const auto best = std::ranges::min_element(costs, {}, price);
  if (price(costs.front()) - price(*best) > error) {
    choice.why = Choice::Why::kCheapest;
    choice.chosen = static_cast<std::size_t>(best - costs.begin());
  }
  return choice;
}

namespace {

void PutRecordings(const Recommendation& all, const std::vector<SimulationReport>& reports,
                   JsonWriter& json) {
  json.Objects("recordings", reports, [&](const SimulationReport& report) {
    json.Field("recording", report.recording());
    WriteFields(report.facts, json);
    FieldWriter fields(json);
    fields("calibration", report.calibration);
    if (all.choice.chosen >= report.outcomes.size()) return;
    fields("outcome", report.outcomes[all.choice.chosen]);
  });
}

}  // namespace

void PutRecommendation(const Recommendation& all, JsonWriter& json) {
  json.Object("prices", [&] {
    json.Field("eviction", all.prices.eviction);
    json.Field("oom", all.prices.oom_kill);
    json.Field("idleGibHour", all.prices.idle_gib_hour);
  });
  json.Field("error", all.error);
  json.Field("why", NameOf(all.choice.why));
  json.Field("chosen", all.choice.chosen);
  json.Strings("sentences", VerdictSentences(all));
  json.Objects("policies", all.tried, [&](const Recommendation::Tried& tried) {
    json.Field("name", tried.name);
    json.Field("evictions", tried.costs.evictions);
    json.Field("oomKills", tried.costs.oom_kills);
    json.Field("keptFreeGibHours", tried.costs.IdleGibHours());
    json.Field("conditionSeconds", SecondsOf(tried.costs.condition_time));
    json.Field("podSecondsLost", SecondsOf(tried.costs.pod_time_lost));
    json.Field("price", PriceOf(tried.costs, all.prices));
  });
  json.Array("front", [&] {
    for (const std::size_t i : all.choice.front) json.Number(i);
  });
  json.Field("configuration", all.configuration);
}

std::string RecommendationJson(const Recommendation& all,
                               const std::vector<SimulationReport>& reports) {
  return JsonObject([&](JsonWriter& json) {
           json.Field("apiVersion", "jettison.io/v1alpha1");
           json.Field("kind", "Recommendation");
           PutRecordings(all, reports, json);
           PutRecommendation(all, json);
         }) +
         '\n';
}

namespace {

using Align = TextTable::Align;

void PutFront(const Recommendation& all, std::string& out) {
  out += fmt::format(
      "\nFRONT  {} were tried; none of these is better than another one in all respects\n",
      CountText(all.tried.size(), "setting"));
  std::vector<std::size_t> shown = all.choice.front;
  for (const std::size_t i : {std::size_t{0}, all.choice.chosen}) {
    if (std::ranges::find(shown, i) == shown.end()) shown.push_back(i);
  }
  TextTable table({Align::kLeft, Align::kRight, Align::kRight, Align::kRight, Align::kRight,
                   Align::kRight, Align::kLeft});
  table.Add({"POLICY", "EVICTIONS", "OOM KILLS", "KEPT FREE", "POD TIME LOST", "PRICE", ""});
  for (const std::size_t i : shown) {
    const Recommendation::Tried& tried = all.tried[i];
    const char* place = i == 0 ? "in force" : "";
    if (i == all.choice.chosen) place = i == 0 ? "kept" : "recommended";
    table.Add({tried.name, fmt::format("{}", tried.costs.evictions),
               fmt::format("{}", tried.costs.oom_kills),
               fmt::format("{:.3f} GiB h", tried.costs.IdleGibHours()),
               LengthText(tried.costs.pod_time_lost),
               fmt::format("{:.2f}", PriceOf(tried.costs, all.prices)), place});
  }
  out += table.Text(2);
}

void PutEvictions(const Recommendation& all, const std::vector<SimulationReport>& reports,
                  std::size_t most, std::string& out) {
  std::string evictions;
  for (const SimulationReport& report : reports) {
    if (all.choice.chosen >= report.outcomes.size()) continue;
    PolicyOutcome outcome = report.outcomes[all.choice.chosen];
    outcome.name = report.facts.node.empty() ? report.recording() : report.facts.node;
    evictions += EvictionsText(outcome, most);
  }
  if (evictions.empty()) return;
  out +=
      fmt::format("\nEVICTIONS  that \"{}\" would have made\n", all.tried[all.choice.chosen].name);
  out += evictions.substr(1);
}

}  // namespace

std::string RecommendationText(const Recommendation& all,
                               const std::vector<SimulationReport>& reports,
                               std::size_t most_evictions) {
  std::string out = HeadText(reports);
  out += fmt::format("\nRECOMMENDED  at {}\n", PricesText(all.prices));
  for (const std::string& sentence : VerdictSentences(all)) out += Wrapped(sentence, "  ", 2);
  PutFront(all, out);
  PutEvictions(all, reports, most_evictions, out);
  return out + "\nCONFIGURATION\n" + all.configuration;
}

namespace {

std::string ChangesText(const PolicyCosts& from, const PolicyCosts& to) {
  std::vector<std::string> parts;
  const auto count = [&parts](std::uint64_t before, std::uint64_t after, std::string_view what) {
    if (before == after) return;
    const std::uint64_t by = before > after ? before - after : after - before;
    parts.push_back(fmt::format("{} {}", CountText(by, what), after < before ? "fewer" : "more"));
  };
  count(from.evictions, to.evictions, "eviction");
  count(from.oom_kills, to.oom_kills, "OOM kill");
  const std::int64_t idle = to.IdleMilliGibHours() - from.IdleMilliGibHours();
  if (idle != 0) {
    parts.push_back(fmt::format("{:.3f} GiB h {} kept free",
                                static_cast<double>(std::abs(idle)) / 1000,
                                idle < 0 ? "less" : "more"));
  }
  return parts.empty() ? "the same costs" : fmt::format("{}", fmt::join(parts, ", "));
}

std::string NoPressureSentence(const Recommendation& all) {
  std::string text =
      "What is in force would have evicted no pod because memory was short, and no OOM kill is "
      "recorded or foreseen. So the recordings cannot tell which policy is better: higher "
      "thresholds "
      "cost more, and what lower ones risk does not show. What is in force is kept.";
  if (all.least) {
    constexpr Signal kMemory = Signal::kMemoryAvailable;
    text += fmt::format(" The least that a node had left was {} of {}{}.",
                        ShownAmount(kMemory, all.least->available),
                        ShownAmount(kMemory, all.least->capacity),
                        all.least->node.empty() ? "" : ", on " + all.least->node);
  }
  return text;
}

std::string CheapestSentence(const Recommendation& all) {
  const Recommendation::Tried& chosen = all.tried[all.choice.chosen];
  const Recommendation::Tried& in_force = all.tried.front();
  return fmt::format(
      "\"{}\" is the cheapest policy: it costs {:.2f}, and what is in force costs {:.2f}. It has "
      "{}.",
      chosen.name, PriceOf(chosen.costs, all.prices), PriceOf(in_force.costs, all.prices),
      ChangesText(in_force.costs, chosen.costs));
}

}  // namespace

std::vector<std::string> CautionSentences(const Recommendation& all) {
  return all.choice.why == Choice::Why::kNoPressure ? VerdictSentences(all) : all.notes;
}

std::vector<std::string> VerdictSentences(const Recommendation& all) {
  std::vector<std::string> sentences;
  switch (all.choice.why) {
    case Choice::Why::kNoPressure: sentences.push_back(NoPressureSentence(all)); break;
    case Choice::Why::kInForce:
      sentences.push_back(
          fmt::format("What is in force is kept: it costs {:.2f}, and no policy that was tried "
                      "costs less by more than {:.2f}, which is what the simulation can tell "
                      "apart.",
                      PriceOf(all.tried.front().costs, all.prices), all.error));
      break;
    case Choice::Why::kCheapest: sentences.push_back(CheapestSentence(all)); break;
  }
  sentences.insert(sentences.end(), all.notes.begin(), all.notes.end());
  return sentences;
}

}  // namespace jettison
