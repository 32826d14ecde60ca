#include <fmt/format.h>
#include <sched.h>

#include <algorithm>
#include <atomic>
#include <exception>
#include <fstream>
#include <future>
#include <optional>
#include <semaphore>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "cli/recording/recording_file.h"
#include "cli/simulate/node_source.h"
#include "cli/simulate/simulate.h"
#include "cli/terminal/output.h"
#include "sim/whatif/whatif.h"

namespace jettison {
namespace {

const RecordedPass* PassOf(const RecordedItem& item) {
  const auto* pass = std::get_if<std::shared_ptr<const RecordedPass>>(&item);
  return pass != nullptr ? pass->get() : nullptr;
}

// Until the first pass, whose policy everything else is about.
std::vector<RecordedItem> Beginning(NodeSource& source) {
  std::vector<RecordedItem> items;
  while (auto item = *source.Next()) {
    items.push_back(std::move(*item));
    if (PassOf(items.back()) != nullptr) break;
  }
  return items;
}

WhatIfOptions OptionsFor(const RecordingRun& run, const WhatIfModel& model, bool calibrates) {
  WhatIfOptions options{.model = model, .thinning = {}, .blind = calibrates || run.thin_all};
  options.keep_passes = run.keep_passes && !calibrates;
  options.model.after_eviction = run.after_eviction;
  if (options.blind) {
    options.thinning = ThinningRule{
        .every = run.every, .peaks = !run.without_peaks, .end_times = run.with_end_times};
  }
  return options;
}

// Says why there is no pass. A file that was named and is empty may have something at another try.
void TellNoPass(const FleetNodeFiles& node, SimulationReport& report) {
  report.failure = "its recordings have no pass";
  SimulatedInput& input = report.inputs.front();
  if (report.inputs.size() > 1 || input.bytes > 0 || !input.faults.empty()) return;
  report.failure = EmptyInput(input.name);
  const FleetFile& file = node.files.front();
  input.unread = file.is_stream || file.name == file.path;
}

void Simulate(const RecordingRun& run, const Onlooker& onlooker, NodeSource& source,
              SimulationReport& report) {
  const std::vector<RecordedItem> first = Beginning(source);
  if (first.empty() || PassOf(first.back()) == nullptr) return;
  const RecordedPass& pass = *PassOf(first.back());
  const PassPolicy base = *pass.policy;
  auto candidates = CandidatesFor(run.candidates, base);
  if (!candidates) {
    report.failure = candidates.error().message;
    return;
  }
  if (run.more) {
    for (CandidatePolicy& each : run.more(pass)) candidates->policies.push_back(std::move(each));
  }
  for (const CandidatePolicy& each : candidates->policies) {
    report.policies.push_back(each.policy_for ? each.policy_for(base) : base);
  }
  WhatIf whatif(candidates->policies, OptionsFor(run, candidates->model, false));
  WhatIf calibration({{.name = "in force", .policy_for = {}}},
                     OptionsFor(run, candidates->model, true));
  const auto add = [&](const RecordedItem& item) {
    if (onlooker.item) onlooker.item(item);
    whatif.Add(item);
    calibration.Add(item);
  };
  for (const RecordedItem& item : first) add(item);
  while (const auto item = *source.Next()) {
    add(*item);
    if (onlooker.progress) onlooker.progress(source.Progress());
  }
  whatif.Finish();
  calibration.Finish();
  report.facts = whatif.facts();
  report.outcomes = whatif.Outcomes();
  report.foretold = calibration.Outcomes().front();
  report.calibration.every = run.every;
  Calibrate(report);
}

constexpr std::size_t kWaitingPerJob = 4;

// Threads that make pieces of work, which are taken in their order.
class NodeThreads {
 public:
  NodeThreads(std::size_t count, std::size_t jobs,
              std::function<SimulationReport(std::size_t)> work)
      : work_(std::move(work)),
        made_(count),
        ahead_(static_cast<std::ptrdiff_t>(jobs * kWaitingPerJob)) {
    const auto run = [this] {
      for (;;) {
        ahead_.acquire();
        const std::size_t piece = next_++;
        if (piece >= made_.size()) return ahead_.release();  // for the next thread
        made_[piece].set_value(work_(piece));
      }
    };
    try {
      while (threads_.size() < std::min(jobs, count)) threads_.emplace_back(run);
    } catch (const std::system_error&) {
      return;  // those that run do
    }
  }
  NodeThreads(const NodeThreads&) = delete;
  NodeThreads& operator=(const NodeThreads&) = delete;
  ~NodeThreads() {
    next_ = made_.size();
    ahead_.release();
  }
  [[nodiscard]] bool any() const { return !threads_.empty(); }

  SimulationReport Take(std::size_t piece) {
    SimulationReport result = made_[piece].get_future().get();
    ahead_.release();
    return result;
  }

 private:
  const std::function<SimulationReport(std::size_t)> work_;
  std::vector<std::promise<SimulationReport>> made_;
  std::counting_semaphore<> ahead_;  // pieces that may be begun
  std::atomic<std::size_t> next_ = 0;
  std::vector<std::jthread> threads_;  // last, so that they end first
};

SimulationReport ReportOf(const RecordingRun& run, const FleetNodeFiles& node, std::size_t i,
                          const NodesRun& how) {
  try {
    Onlooker onlooker;
    if (how.item) onlooker.item = [&](const RecordedItem& item) { how.item(i, item); };
    ProgressBar bar(how.shows_reading);
    if (how.shows_reading) {
      onlooker.progress = [&](double share) { bar.Draw(share, how.label); };
    }
    return RunOver(run, node, onlooker);
  } catch (const std::exception& exception) {
    // There was no memory for it, or a fault of ours ended it.
    SimulationReport lost{.failure = fmt::format("it cannot be simulated: {}", exception.what())};
    lost.facts.node = node.node;
    for (const FleetFile& file : node.files) {
      lost.inputs.push_back({.name = file.name, .unread = true, .faults = {lost.failure}});
    }
    return lost;
  }
}

// Processors' worth of a quota; absent: there is none.
std::optional<std::size_t> ProcessorsOf(double quota, double period) {
  if (!(quota > 0) || !(period > 0)) return std::nullopt;
  return static_cast<std::size_t>(std::max(1.0, quota / period + 0.5));
}

std::optional<std::size_t> ProcessorsOfGroup() {
  double quota = 0;
  double period = 0;
  // "max 100000" or "150000 100000"; of the root of what is mounted, as a container sees it.
  if (std::ifstream v2("/sys/fs/cgroup/cpu.max"); v2 >> quota >> period) {
    return ProcessorsOf(quota, period);
  }
  std::ifstream v1_quota("/sys/fs/cgroup/cpu/cpu.cfs_quota_us");
  std::ifstream v1_period("/sys/fs/cgroup/cpu/cpu.cfs_period_us");
  if (v1_quota >> quota && v1_period >> period) return ProcessorsOf(quota, period);
  return std::nullopt;
}

}  // namespace

std::optional<AfterEviction> AfterEvictionNamed(const std::string& name) {
  if (name == "back") return AfterEviction::kRestarted;
  if (name == "elsewhere") return AfterEviction::kElsewhere;
  return std::nullopt;
}

SimulationReport RunOver(const RecordingRun& run, const FleetNodeFiles& node,
                         const Onlooker& onlooker) {
  SimulationReport report;
  NodeSource source(node);
  Simulate(run, onlooker, source, report);
  report.inputs = source.TakeInputs();
  if (!report.facts.from && report.failure.empty()) TellNoPass(node, report);
  if (report.facts.node.empty()) report.facts.node = node.node;
  return report;
}

int ExitStatusOf(const SimulationReport& report) {
  if (std::ranges::any_of(report.inputs, &SimulatedInput::unread)) return kExitFailed;
  return report.IsDamaged() ? kExitInvalidInput : 0;
}

void TellFaults(const SimulationReport& report) {
  for (const std::string& fault : report.Faults()) {
    const bool is_of_node = fault == report.failure && !report.facts.node.empty();
    const std::string node = is_of_node ? fmt::format("node {}: ", report.facts.node) : "";
    PrintError("jettison: {}{}\n", node, fault);
  }
}

std::size_t ProcessorsAvailable() {
  cpu_set_t set;
  CPU_ZERO(&set);
  const bool known = ::sched_getaffinity(0, sizeof set, &set) == 0;
  const auto allowed = static_cast<std::size_t>(known ? CPU_COUNT(&set) : 1);
  return std::max<std::size_t>(1, std::min(allowed, ProcessorsOfGroup().value_or(allowed)));
}

bool SimulateNodes(const RecordingRun& run, const std::vector<FleetNodeFiles>& nodes,
                   const NodesRun& how,
                   const std::function<bool(std::size_t node, SimulationReport)>& take) {
  const auto work = [&](std::size_t i) { return ReportOf(run, nodes[i], i, how); };
  NodeThreads threads(nodes.size(), std::max<std::size_t>(how.jobs, 1), work);
  if (!nodes.empty() && !threads.any()) {
    PrintError("jettison: no thread could be started\n");
    return false;
  }
  ProgressBar bar(nodes.size() > 1);
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    SimulationReport report = threads.Take(i);
    bar.Draw(static_cast<double>(i + 1) / static_cast<double>(nodes.size()),
             fmt::format("{}{} of {} nodes", how.label, i + 1, nodes.size()));
    if (!take(i, std::move(report))) return false;
  }
  return true;
}

}  // namespace jettison
