#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdlib>
#include <string_view>

#include "core/explanation/text_table.h"
#include "core/json/json_writer.h"
#include "sim/recommend/recommendation.h"
#include "sim/report/report_fields.h"
#include "sim/report/simulation_report.h"

namespace jettison {
namespace {

void PutCosts(const PolicyCosts& costs, const Prices& prices, JsonWriter& json) {
  json.Field("evictions", costs.evictions);
  json.Field("oomKills", costs.oom_kills);
  json.Field("keptFreeGibHours", costs.IdleGibHours());
  json.Field("conditionSeconds", SecondsOf(costs.condition_time));
  json.Field("podSecondsLost", SecondsOf(costs.pod_time_lost));
  json.Field("price", PriceOf(costs, prices));
}

void PutPrices(const Recommendation& all, JsonWriter& json) {
  json.Object("prices", [&] {
    json.Field("eviction", all.prices.eviction);
    json.Field("oom", all.prices.oom_kill);
    json.Field("idleGibHour", all.prices.idle_gib_hour);
  });
}

void PutTried(const Recommendation& all, JsonWriter& json) {
  json.Objects("policies", all.tried, [&](const Recommendation::Tried& tried) {
    json.Field("name", tried.name);
    PutCosts(tried.costs, all.prices, json);
  });
  json.Array("front", [&] {
    for (const std::size_t i : all.choice.front) json.Number(i);
  });
}

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
  PutPrices(all, json);
  json.Field("error", all.error);
  json.Field("why", NameOf(all.choice.why));
  json.Field("chosen", all.choice.chosen);
  json.Strings("sentences", VerdictSentences(all));
  PutTried(all, json);
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
