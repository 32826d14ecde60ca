#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/json/json_writer.h"
#include "core/pass/pass.h"
#include "core/text/enum_names.h"
#include "core/units/result.h"
#include "sim/report/simulation_report.h"
#include "sim/whatif/whatif.h"

namespace jettison {

// The policies that a recommendation tries: those in force with other thresholds on
// memory.available, named "hard 200Mi, soft 400Mi for 1m30s, reclaim 100Mi". They are a grid around
// `in_force`, for a node of that many bytes: the hard line from a quarter to eight times as high,
// in steps of half an octave, each with the soft one in force, without one, with half of it as
// minimum reclaim, and with a soft one two and three times as high for 30 s and for 2 min. What is
// in force is not in it; without a hard line it is taken to have the kubelet's default of 100Mi. No
// hard line lies below that default, or 1/16 of a node where that is less, unless the one in force
// does; none is above a quarter of the node, and no soft one above half of it.
[[nodiscard]] std::vector<CandidatePolicy> GridAround(const PassPolicy& in_force,
                                                      std::int64_t capacity);

// The places of those that no other one dominates. Of those that cost the same the first counts
// alone. By memory kept free, then by evictions, then by OOM kills, the least first.
[[nodiscard]] std::vector<std::size_t> ParetoFront(std::span<const PolicyCosts> costs);

// What each kind of harm is worth, in any one currency: only their ratios decide.
struct Prices {
  double eviction = 1;
  double oom_kill = 10;
  double idle_gib_hour = 0.01;  // of memory that was kept free
};

// Parses "eviction=1,oom=10,idle-gib-hour=0.01"; what is not named keeps its default. Fails with
// every fault, a line each.
[[nodiscard]] Result<Prices> ParsePrices(std::string_view text);
// The same as text.
[[nodiscard]] std::string PricesText(const Prices& prices);

[[nodiscard]] double PriceOf(const PolicyCosts& costs, const Prices& prices);

// The best of the tried policies. The first policy is the one that was in force.
struct Choice {
  enum class Why : std::uint8_t {
    kCheapest,    // it has the least price
    kInForce,     // none is cheaper than the one that was in force
    kNoPressure,  // nothing was short, so what was tried cannot be told apart
  };
  std::size_t chosen = 0;
  Why why = Why::kInForce;
  std::vector<std::size_t> front;  // as ParetoFront
};

template <>
inline constexpr auto kNamesOf<Choice::Why> = EnumNames("cheapest", "inForce", "noPressure");

// The cheapest one. Of those that are equally cheap the first counts. One that is cheaper than the
// one in force by no more than `error` cannot be told from it. Another one than that in force is
// chosen only where something was short: that one evicts or loses a pod for memory, or policies
// differ in evictions or OOM kills that are not a `grid` of thresholds on memory around those in
// force.
[[nodiscard]] Choice Choose(std::span<const PolicyCosts> costs, const Prices& prices,
                            bool grid = true, double error = 0);

// The recommendation for several nodes together, and what it is based on.
struct Recommendation {
  struct Tried {
    std::string name;
    PolicyCosts costs;  // of all nodes
  };
  // The least that a node had left.
  struct Least {
    std::string node;
    std::int64_t available = 0;
    std::int64_t capacity = 0;
  };
  Prices prices;
  std::vector<Tried>
      tried;  // the first is what was in force; outcomes of a report are in this order
  Choice choice;
  double error = 0;  // a price that differs by no more is the same, as far as this can tell
  std::string configuration;       // what was chosen, as YAML
  std::optional<Least> least;      // of memory.available; absent: never observed
  std::vector<std::string> notes;  // what else has to be known; sentences
};

// The calibration of each recording first, then what is recommended, the front, and its evictions,
// of each policy at most so many. The last thing is the configuration.
[[nodiscard]] std::string RecommendationText(const Recommendation& recommendation,
                                             const std::vector<SimulationReport>& reports,
                                             std::size_t most_evictions = 20);
// Of the kind Recommendation.
[[nodiscard]] std::string RecommendationJson(const Recommendation& recommendation,
                                             const std::vector<SimulationReport>& reports);

// The members of that document that are about all recordings.
void PutRecommendation(const Recommendation& recommendation, JsonWriter& json);

// What must be known of the configuration by those who take nothing else, in sentences.
[[nodiscard]] std::vector<std::string> CautionSentences(const Recommendation& recommendation);
// What is recommended and why, in sentences.
[[nodiscard]] std::vector<std::string> VerdictSentences(const Recommendation& recommendation);

}  // namespace jettison
