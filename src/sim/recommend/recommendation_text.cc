#include <fmt/format.h>

#include <algorithm>

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

}  // namespace jettison
