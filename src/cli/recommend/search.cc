#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <memory>
#include <utility>
#include <variant>

#include "cli/recommend/recommend.h"
#include "cli/simulate/node_source.h"
#include "cli/simulate/simulate.h"
#include "cli/terminal/output.h"
#include "cli/terminal/text_line.h"
#include "codec/recordings/scenario_policy.h"
#include "core/text/printable.h"
#include "sim/recommend/candidate_lines.h"
#include "sim/recommend/recommendation.h"

namespace jettison {
namespace {

constexpr std::size_t kCommentColumns = 98;
constexpr auto kAllLines = static_cast<std::size_t>(-1);

// The first pass of a node that observed its memory.
std::shared_ptr<const RecordedPass> FirstPassOf(const FleetNodeFiles& files) {
  NodeSource source(files);
  while (const auto item = *source.Next()) {
    const auto* pass = std::get_if<std::shared_ptr<const RecordedPass>>(&*item);
    if (pass != nullptr && (*pass)->report.observations[Signal::kMemoryAvailable]) return *pass;
  }
  return nullptr;
}

// How far a price may be off: by as many evictions as the calibration has too many or too few over
// all nodes, and at least by half of one.
double ErrorOf(const Calibration& calibration, const Prices& prices) {
  const double off =
      static_cast<double>(calibration.said) - static_cast<double>(calibration.truths);
  constexpr double kLeast = 0.5;
  return std::max(std::abs(off), kLeast) * prices.eviction;
}

CandidatePolicy CandidateOf(const MemoryLines& lines) {
  return {.name = LinesText(lines),
          .policy_for = [lines](const PassPolicy& recorded) { return WithLines(recorded, lines); }};
}

// Names of nodes in it come from others, and could end the comment.
std::string CommentOf(const std::vector<std::string>& sentences) {
  std::string text;
  for (const std::string& sentence : sentences) {
    for (const std::string& line : Wrap(Printable(sentence), kCommentColumns, kAllLines)) {
      text += "# " + line + "\n";
    }
  }
  return text;
}

class Searcher {
 public:
  explicit Searcher(const SearchRun& run) : run_(run) {
    makes_grid_ = run.candidates.files.empty() && run.candidates.sweeps.empty();
  }

  Found Take() {
    const auto files = FindRecordings(run_.paths);
    if (!files) {
      PrintError("jettison: {}\n", files.error().message);
      found_.status = kExitFailed;
      return std::move(found_);
    }
    const std::vector<FleetNodeFiles> nodes = NodesOfShard(*files, {.index = 0, .count = 1});
    is_stream_ = files->front().is_stream;
    if (makes_grid_ && !is_stream_) MakeGrid(nodes);
    Read(nodes);
    if (found_.reports.empty()) return std::move(found_);
    Judge();
    TakeLeast();
    TakeConfiguration();
    return std::move(found_);
  }

 private:
  // The policy that the first node begins with is what the grid is made around, within the memory
  // of the smallest node.
  void MakeGrid(const std::vector<FleetNodeFiles>& nodes) {
    std::shared_ptr<const RecordedPass> first;
    std::int64_t least = 0;
    for (const FleetNodeFiles& node : nodes) {
      const auto pass = FirstPassOf(node);
      if (pass == nullptr) continue;
      const std::int64_t capacity = pass->report.observations[Signal::kMemoryAvailable]->capacity;
      least = first == nullptr ? capacity : std::min(least, capacity);
      if (first == nullptr) first = pass;
    }
    if (first != nullptr) grid_ = GridAround(LinesOf(*first->policy), least);
  }

  // Simulates all policies on every node; those that have a pass are taken.
  void Read(const std::vector<FleetNodeFiles>& files) {
    RecordingRun run{.candidates = run_.candidates, .more = {}, .item = {}};
    if (makes_grid_) {
      run.more = [this](const RecordedPass& first) {
        // A stream is one node, and its first pass is known now alone.
        const auto& memory = first.report.observations[Signal::kMemoryAvailable];
        if (is_stream_) {
          grid_ = GridAround(LinesOf(*first.policy), memory ? memory->capacity : 0);
        }
        std::vector<CandidatePolicy> policies;
        for (const MemoryLines& lines : grid_) policies.push_back(CandidateOf(lines));
        return policies;
      };
    }
    std::vector<NodeCourses> courses(files.size());
    run.item = [&](std::size_t i, const RecordedItem& item) { courses[i].Add(item); };
    SimulateNodes(run, files, [&](std::size_t i, SimulationReport report) {
      TellFaults(report);
      const int status = ExitStatusOf(report);
      if (status == kExitFailed || found_.status == 0) found_.status = status;
      if (!report.facts.from) return;
      found_.reports.push_back(std::move(report));
      found_.courses.push_back(std::move(courses[i]));
    });
  }

  void Judge() {
    Recommendation& all = found_.recommendation;
    all.prices = run_.prices;
    all.limits = run_.limits;
    const std::vector<PolicyOutcome>& outcomes = found_.reports.front().outcomes;
    const SimulationTotals totals = TotalsOf(found_.reports, outcomes.size());
    for (std::size_t i = 0; i < outcomes.size(); ++i) {
      all.tried.push_back({.name = outcomes[i].name, .costs = totals.policies[i]});
    }
    all.error = ErrorOf(totals.calibration, all.prices);
    all.choice =
        Choose(totals.policies, all.prices, all.limits,
               makes_grid_ ? TriedPolicies::kMemoryLines : TriedPolicies::kGiven, all.error);
  }

  void TakeConfiguration() {
    Recommendation& all = found_.recommendation;
    const std::size_t chosen = all.choice.chosen;
    const SimulationReport& first = found_.reports.front();
    all.configuration = ConfigurationYaml(first.policies[chosen]);
    for (const SimulationReport& each : found_.reports) {
      if (ConfigurationYaml(each.policies[chosen]) == all.configuration) continue;
      all.notes.push_back(fmt::format(
          "The nodes have different settings: those of {} differ from those of {}. The "
          "configuration has the settings of the latter, and the values that were varied.",
          each.facts.node, first.facts.node));
      break;
    }
    all.configuration = CommentOf(CautionSentences(all)) + all.configuration;
  }

  void TakeLeast() {
    auto& least = found_.recommendation.least;
    for (std::size_t node = 0; node < found_.reports.size(); ++node) {
      const NodeCourses& courses = found_.courses[node];
      const SignalCourse& memory = courses[Signal::kMemoryAvailable];
      if (memory.empty()) continue;
      const std::int64_t available = memory.extremes().least;
      if (least && available >= least->available) continue;
      least = Recommendation::Least{.node = found_.reports[node].facts.node,
                                    .available = available,
                                    .capacity = courses.CapacityOf(Signal::kMemoryAvailable)};
    }
  }

  const SearchRun& run_;
  bool makes_grid_ = false;
  bool is_stream_ = false;
  std::vector<MemoryLines> grid_;
  Found found_;
};

}  // namespace

Found Search(const SearchRun& run) {
  return Searcher(run).Take();
}

}  // namespace jettison
