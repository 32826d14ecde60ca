#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/json/json_writer.h"
#include "core/pods/pod_facts.h"
#include "core/recording/recording.h"
#include "sim/recommend/choice.h"
#include "sim/report/simulation_report.h"
#include "sim/whatif/whatif_model.h"

namespace jettison {

// How much memory a pod held, and for how long, in a fixed number of steps of a sixteenth of an
// octave: the room that it takes does not grow with time.
class HeldMemory {
 public:
  void Add(std::int64_t bytes, Duration time);

  // The least amount below or at which it was for that share of the time, from 0 to 1; 0 where
  // nothing is known. At most a sixteenth more than the true one.
  [[nodiscard]] std::int64_t Quantile(double share) const;
  [[nodiscard]] std::int64_t most() const { return most_; }
  [[nodiscard]] Duration time() const { return time_; }

 private:
  std::map<int, Duration> by_step_;
  std::int64_t most_ = 0;
  Duration time_{0};
};

struct PodUse {
  std::string pod;           // "namespace/name"
  std::int64_t request = 0;  // of memory, effective, as it was told last
  HeldMemory held;
};

// What the pods of a recording held. Time for which nothing is known does not count.
class PodUseBook {
 public:
  void Add(const RecordedItem& item);
  [[nodiscard]] const PodUse* Find(const std::string& uid) const;

 private:
  void AddPass(const RecordedPass& pass);

  std::unordered_map<std::string, PodUse> pods_;  // by UID
  std::optional<Instant> last_;
  std::vector<const PodFacts*> facts_;
  std::vector<ActivePod> active_;
};

// Advice on the memory request of a pod that was evicted for memory.
struct RequestAdvice {
  enum class Says : std::uint8_t {
    kTooLow,   // it held more than that for more than a twentieth of the time
    kTooHigh,  // it never held as much, by a quarter or more
    kFits,
    kGrows,    // it was evicted as it grew: no request is right for that
    kUnknown,  // it was seen for less than three minutes
  };
  std::string node;
  std::string pod;  // "namespace/name"
  std::string uid;
  std::size_t evictions = 0;
  std::int64_t request = 0;
  std::int64_t usual = 0;  // it held no more than that for 95% of the time
  std::int64_t most = 0;
  Duration seen{0};
  Says says = Says::kFits;
  std::optional<std::int64_t> proposal;  // of kTooLow and kTooHigh
};
// "tooLow", "tooHigh", "fits", "grows", "unknown".
[[nodiscard]] std::string_view NameOf(RequestAdvice::Says says);
// A sentence without its full stop: "request 210Mi: it held more than its request for ...".
[[nodiscard]] std::string AdviceText(const RequestAdvice& advice);

// One for each pod that these evictions end because memory is short: those that were evicted most
// first, then by name and UID.
[[nodiscard]] std::vector<RequestAdvice> AdviceFor(const std::vector<SimulatedEviction>& evictions,
                                                   const PodUseBook& book, const std::string& node);

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
  std::string configuration;  // what was chosen, as YAML
  std::vector<RequestAdvice> requests;
  std::optional<Least> least;      // of memory.available; absent: never observed
  std::vector<std::string> notes;  // what else has to be known; sentences
};

// The calibration of each recording first, then what is recommended, the front, its evictions, and
// requests, of each at most so many. The last thing is the configuration.
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
