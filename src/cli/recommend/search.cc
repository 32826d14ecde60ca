#include "cli/recommend/search.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <utility>

#include "cli/recommend/node_reading.h"
#include "cli/terminal/exit_status.h"
#include "cli/terminal/output.h"
#include "cli/terminal/progress_bar.h"
#include "cli/terminal/text_line.h"
#include "codec/recordings/configuration_writer.h"
#include "core/text/printable.h"
#include "sim/recommend/candidate_lines.h"
#include "sim/recommend/pod_use.h"

namespace jettison {
namespace {

// Each reading after the first one tries at most so many.
constexpr std::size_t kMostFiner = 16;
constexpr std::array kFineness = {Fineness::kHalf, Fineness::kQuarter};

constexpr std::size_t kCommentColumns = 98;
constexpr auto kAllLines = static_cast<std::size_t>(-1);

struct SearchedNode {
  NodeInput input;
  SimulationReport report;
  PodUseBook uses;
  NodeCourses courses;
};

CandidatePolicy CandidateOf(const MemoryLines& lines) {
  return {.name = LinesText(lines),
          .policy_for = [lines](const PassPolicy& recorded) { return WithLines(recorded, lines); }};
}

// Names of nodes in it come from others, and could end the comment.
std::string CommentOf(const std::vector<std::string>& sentences) {
  std::string text;
  for (const std::string& sentence : sentences) {
    for (const std::string& line : Wrap(Printable(sentence), kCommentColumns, kAllLines, {})) {
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
    auto inputs = NodesIn(run_.paths);
    if (!inputs) {
      PrintError("jettison: {}\n", inputs.error().message);
      found_.status = kExitFailed;
      return std::move(found_);
    }
    if (makes_grid_) least_capacity_ = LeastCapacityOf(*inputs);
    ReadFirst(std::move(*inputs));
    if (nodes_.empty()) return std::move(found_);
    Judge();
    if (makes_grid_ && nodes_.front().input.files) Refine();
    Finish();
    return std::move(found_);
  }

 private:
  RecordingRun RunOf() const {
    RecordingRun run{.path = "",
                     .candidates = run_.candidates,
                     .after_eviction = run_.after_eviction,
                     .more = {},
                     .onlooker = {}};
    if (makes_grid_) {
      run.more = [this](const RecordedPass&) {
        std::vector<CandidatePolicy> policies;
        for (const MemoryLines& lines : next_) policies.push_back(CandidateOf(lines));
        return policies;
      };
    }
    return run;
  }

  // The first pass of all is what the grid is made around.
  void BeginGrid(const RecordedPass& first) {
    if (!lines_.empty()) return;
    const auto& memory = first.report.observations[Signal::kMemoryAvailable];
    const MemoryLines in_force = LinesOf(*first.policy);
    bounds_ = BoundsFor(in_force, least_capacity_.value_or(memory ? memory->capacity : 0));
    lines_ = {in_force};
    next_ = CoarseLines(in_force, bounds_);
  }

  void ReadFirst(std::vector<NodeInput> inputs) {
    ProgressBar bar(true);
    const std::size_t all = inputs.size();
    for (std::size_t i = 0; i < all; ++i) {
      SearchedNode node{.input = std::move(inputs[i]), .report = {}, .uses = {}, .courses = {}};
      RecordingRun run = RunOf();
      if (makes_grid_) {
        run.more = [this, more = run.more](const RecordedPass& first) {
          BeginGrid(first);
          return more(first);
        };
      }
      run.onlooker = [&node](const RecordedItem& item) {
        node.uses.Add(item);
        node.courses.Add(item);
      };
      NodeSimulation reading = ReadNode(node.input, run, [&](double share) {
        bar.Draw((static_cast<double>(i) + share) / static_cast<double>(all), "first reading");
      });
      found_.status = std::max(found_.status, reading.status);
      for (const std::string& fault : reading.faults) PrintError("jettison: {}\n", fault);
      if (!reading.report) continue;
      if (!reading.report->facts.from) {
        if (reading.faults.empty()) {
          PrintError("jettison: {}: it has no pass\n", reading.report->recording);
        }
        continue;
      }
      node.report = std::move(*reading.report);
      nodes_.push_back(std::move(node));
    }
    lines_.insert(lines_.end(), next_.begin(), next_.end());
    found_.recommendation.readings = 1;
  }

  // Whether every node was read again.
  bool ReadAgain() {
    ProgressBar bar(true);
    const std::string what = fmt::format("reading {}", found_.recommendation.readings + 1);
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
      SearchedNode& node = nodes_[i];
      NodeSimulation reading = ReadNode(node.input, RunOf(), [&](double share) {
        bar.Draw((static_cast<double>(i) + share) / static_cast<double>(nodes_.size()), what);
      });
      if (!reading.report || reading.report->outcomes.size() != next_.size() + 1) return false;
      // The first is what was in force, once more.
      auto& outcomes = reading.report->outcomes;
      auto& policies = reading.report->policies;
      std::move(outcomes.begin() + 1, outcomes.end(), std::back_inserter(node.report.outcomes));
      std::move(policies.begin() + 1, policies.end(), std::back_inserter(node.report.policies));
    }
    lines_.insert(lines_.end(), next_.begin(), next_.end());
    ++found_.recommendation.readings;
    return true;
  }

  void Refine() {
    for (const Fineness fineness : kFineness) {
      if (found_.recommendation.choice.why == Choice::Why::kNoPressure) return;
      next_ = FinerLines(lines_, found_.recommendation.choice, bounds_, fineness, kMostFiner);
      if (next_.empty()) return;
      if (!ReadAgain()) {
        found_.status = kExitFailed;
        found_.recommendation.notes.emplace_back(
            "A recording could not be read again, so values were not refined further.");
        return DropUnread();
      }
      Judge();
    }
  }

  // What only some nodes were simulated with cannot be added up.
  void DropUnread() {
    for (SearchedNode& node : nodes_) {
      node.report.outcomes.resize(lines_.size());
      node.report.policies.resize(lines_.size());
    }
  }

  void Judge() {
    Recommendation& all = found_.recommendation;
    all.prices = run_.prices;
    all.limits = run_.limits;
    all.tried.clear();
    for (const PolicyOutcome& outcome : nodes_.front().report.outcomes) {
      all.tried.push_back({.name = outcome.name, .costs = {}});
    }
    for (const SearchedNode& node : nodes_) {
      for (std::size_t i = 0; i < all.tried.size(); ++i) {
        all.tried[i].costs += CostsOf(node.report.outcomes[i]);
      }
    }
    std::vector<PolicyCosts> costs;
    for (const Recommendation::Tried& each : all.tried) costs.push_back(each.costs);
    all.choice = Choose(costs, all.prices, all.limits,
                        makes_grid_ ? TriedPolicies::kMemoryLines : TriedPolicies::kGiven);
  }

  void Finish() {
    TakeRequests();
    TakeLeast();
    if (makes_grid_ && !nodes_.front().input.files) {
      found_.recommendation.notes.emplace_back(
          "Standard input can be read only once, so values were not refined.");
    }
    TakeConfiguration();
    for (SearchedNode& node : nodes_) {
      found_.reports.push_back(std::move(node.report));
      found_.courses.push_back(std::move(node.courses));
    }
  }

  void TakeConfiguration() {
    Recommendation& all = found_.recommendation;
    const std::size_t chosen = all.choice.chosen;
    const SearchedNode& first = nodes_.front();
    all.configuration = ConfigurationYaml(first.report.policies[chosen]);
    for (const SearchedNode& node : nodes_) {
      if (ConfigurationYaml(node.report.policies[chosen]) == all.configuration) continue;
      all.notes.push_back(fmt::format(
          "The nodes have different settings: those of {} differ from those of {}. The "
          "configuration has the settings of the latter, and the values that were varied.",
          node.input.name, first.input.name));
      break;
    }
    all.configuration = CommentOf(CautionSentences(all)) + all.configuration;
  }

  void TakeRequests() {
    const std::size_t chosen = found_.recommendation.choice.chosen;
    for (const SearchedNode& node : nodes_) {
      std::vector<SimulatedEviction> evictions = node.report.outcomes.front().evictions;
      const std::size_t in_force = evictions.size();
      for (const SimulatedEviction& each : node.report.outcomes[chosen].evictions) {
        const auto end = evictions.begin() + static_cast<std::ptrdiff_t>(in_force);
        const bool known = std::any_of(evictions.begin(), end, [&](const SimulatedEviction& old) {
          return old.uid == each.uid;
        });
        if (!known) evictions.push_back(each);
      }
      auto advice = AdviceFor(evictions, node.uses, node.report.facts.node);
      std::ranges::move(advice, std::back_inserter(found_.recommendation.requests));
    }
  }

  void TakeLeast() {
    auto& least = found_.recommendation.least;
    for (const SearchedNode& node : nodes_) {
      const SignalCourse& memory = node.courses[Signal::kMemoryAvailable];
      if (memory.empty()) continue;
      const std::int64_t available = memory.extremes().least;
      if (least && available >= least->available) continue;
      least = Recommendation::Least{.node = node.report.facts.node,
                                    .available = available,
                                    .capacity = node.courses.CapacityOf(Signal::kMemoryAvailable)};
    }
  }

  const SearchRun& run_;
  bool makes_grid_ = false;
  std::vector<SearchedNode> nodes_;
  std::optional<std::int64_t> least_capacity_;  // of memory; absent: of standard input
  LineBounds bounds_;
  std::vector<MemoryLines> lines_;  // of what was tried, in its order, where a grid is made
  std::vector<MemoryLines> next_;   // of the next reading
  Found found_;
};

}  // namespace

Found Search(const SearchRun& run) {
  return Searcher(run).Take();
}

}  // namespace jettison
