#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <string_view>

#include "core/explanation/text_table.h"
#include "sim/recommend/recommendation.h"
#include "sim/report/report_words.h"

namespace jettison {
namespace {

using Align = TextTable::Align;

std::string PlaceText(const Recommendation& all, std::size_t i) {
  if (i == all.choice.chosen) return i == 0 ? "kept" : "recommended";
  return i == 0 ? "in force" : "";
}

void PutFront(const Recommendation& all, std::string& out) {
  out += fmt::format(
      "\nFRONT  {} were tried in {}; none of these is better than another one in "
      "all respects\n",
      CountText(all.tried.size(), "setting"), CountText(all.readings, "reading"));
  std::vector<std::size_t> shown = all.choice.front;
  for (const std::size_t i : {std::size_t{0}, all.choice.chosen}) {
    if (std::ranges::find(shown, i) == shown.end()) shown.push_back(i);
  }
  TextTable table({Align::kLeft, Align::kRight, Align::kRight, Align::kRight, Align::kRight,
                   Align::kRight, Align::kLeft});
  table.Add({"POLICY", "EVICTIONS", "OOM KILLS", "KEPT FREE", "POD TIME LOST", "PRICE", ""});
  for (const std::size_t i : shown) {
    const Recommendation::Tried& tried = all.tried[i];
    table.Add({tried.name, fmt::format("{}", tried.costs.evictions),
               fmt::format("{}", tried.costs.oom_kills),
               fmt::format("{:.3f} GiB h", tried.costs.IdleGibHours()),
               LengthText(tried.costs.pod_time_lost),
               fmt::format("{:.2f}", PriceOf(tried.costs, all.prices)), PlaceText(all, i)});
  }
  out += table.Text(2);
}

std::string Bytes(std::int64_t bytes) {
  if (bytes == 0) return "0";
  return ShownAmount(Signal::kMemoryAvailable, bytes);
}

void PutRequests(const Recommendation& all, std::size_t most, std::string& out) {
  if (all.requests.empty()) return;
  out += "\nREQUESTS  of pods that were evicted for memory, under either policy\n";
  TextTable table({Align::kLeft, Align::kRight, Align::kRight, Align::kRight, Align::kLeft});
  table.Add({"POD", "REQUEST", "HELD, 95%", "AT MOST", ""});
  const std::size_t shown = std::min(most, all.requests.size());
  for (std::size_t i = 0; i < shown; ++i) {
    const RequestAdvice& each = all.requests[i];
    table.Add(
        {each.pod, Bytes(each.request), Bytes(each.usual), Bytes(each.most), AdviceText(each)});
  }
  out += table.Text(2);
  if (shown < all.requests.size()) {
    out += fmt::format("  and {} more\n", all.requests.size() - shown);
  }
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
                               const RecommendationTextOptions& options) {
  std::string out = HeadText(reports);
  out += fmt::format("\nRECOMMENDED  at {}\n", PricesText(all.prices));
  for (const std::string& sentence : VerdictSentences(all)) out += Wrapped(sentence, "  ", 2);
  PutFront(all, out);
  PutEvictions(all, reports, options.most_evictions, out);
  PutRequests(all, options.most_evictions, out);
  return out + "\nCONFIGURATION\n" + all.configuration;
}

namespace {

constexpr std::string_view kNoneWithinLimits =
    "Every policy that was tried exceeds the limits. What is in force is kept.";

// "2 evictions fewer", "0.300 GiB h more".
std::string DifferenceText(std::uint64_t from, std::uint64_t to, std::string_view what) {
  const std::uint64_t by = from > to ? from - to : to - from;
  return fmt::format("{} {}", CountText(by, what), to < from ? "fewer" : "more");
}

std::string ChangesText(const PolicyCosts& from, const PolicyCosts& to) {
  std::string text;
  const auto add = [&text](const std::string& part) { text += (text.empty() ? "" : ", ") + part; };
  if (from.evictions != to.evictions) {
    add(DifferenceText(from.evictions, to.evictions, "eviction"));
  }
  if (from.oom_kills != to.oom_kills) {
    add(DifferenceText(from.oom_kills, to.oom_kills, "OOM kill"));
  }
  const std::int64_t idle = to.idle_milli_gib_hours - from.idle_milli_gib_hours;
  if (idle != 0) {
    add(fmt::format("{:.3f} GiB h {} kept free", static_cast<double>(std::abs(idle)) / 1000,
                    idle < 0 ? "less" : "more"));
  }
  return text.empty() ? "the same costs" : text;
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
      "\"{}\" is the cheapest policy within the limits: it costs {:.2f}, and what is "
      "in force costs {:.2f}. It has {}.",
      chosen.name, PriceOf(chosen.costs, all.prices), PriceOf(in_force.costs, all.prices),
      ChangesText(in_force.costs, chosen.costs));
}

}  // namespace

std::string_view NameOf(Choice::Why why) {
  switch (why) {
    case Choice::Why::kCheapest: return "cheapest";
    case Choice::Why::kInForce: return "inForce";
    case Choice::Why::kNoPressure: return "noPressure";
    case Choice::Why::kNoneWithinLimits: return "noneWithinLimits";
  }
  __builtin_unreachable();
}

std::vector<std::string> CautionSentences(const Recommendation& all) {
  std::vector<std::string> sentences;
  if (all.choice.why == Choice::Why::kNoPressure) sentences.push_back(NoPressureSentence(all));
  if (all.choice.why == Choice::Why::kNoneWithinLimits) sentences.emplace_back(kNoneWithinLimits);
  sentences.insert(sentences.end(), all.notes.begin(), all.notes.end());
  return sentences;
}

std::vector<std::string> VerdictSentences(const Recommendation& all) {
  std::vector<std::string> sentences;
  switch (all.choice.why) {
    case Choice::Why::kNoPressure: sentences.push_back(NoPressureSentence(all)); break;
    case Choice::Why::kNoneWithinLimits: sentences.emplace_back(kNoneWithinLimits); break;
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
