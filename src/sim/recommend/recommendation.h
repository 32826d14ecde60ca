#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/json/json_writer.h"
#include "sim/recommend/choice.h"
#include "sim/report/simulation_report.h"

namespace jettison {

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
  CostLimits limits;
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

// "cheapest", "inForce", "noPressure", "noneWithinLimits".
[[nodiscard]] std::string_view NameOf(Choice::Why why);
// What must be known of the configuration by those who take nothing else, in sentences.
[[nodiscard]] std::vector<std::string> CautionSentences(const Recommendation& recommendation);
// What is recommended and why, in sentences.
[[nodiscard]] std::vector<std::string> VerdictSentences(const Recommendation& recommendation);

}  // namespace jettison
