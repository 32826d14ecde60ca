#include "cli/simulate/run_recording.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "cli/recording/recording_file.h"
#include "cli/simulate/one_node.h"
#include "cli/simulate/recording_faults.h"
#include "cli/simulate/simulated_file.h"
#include "cli/terminal/exit_status.h"
#include "cli/terminal/progress_bar.h"
#include "sim/whatif/whatif.h"

namespace jettison {
namespace {

const RecordedPass* PassOf(const RecordedItem& item) {
  const auto* pass = std::get_if<std::shared_ptr<const RecordedPass>>(&item);
  return pass != nullptr ? pass->get() : nullptr;
}

// What was read of a recording, and what could not be.
class Reading {
 public:
  Reading(RecordingSource& source, const std::string& name) : source_(source), name_(name) {}

  // The next item; none: this was the end. What comes after a fault may still be read; one that
  // comes again and again is the end.
  std::optional<RecordedItem> Next() {
    while (!faults_.IsStuck()) {
      auto item = source_.Next();
      if (item) {
        faults_.NoteProgress();
        return std::move(*item);
      }
      is_invalid_ |= item.error().code == ErrorCode::kInvalidArgument;
      faults_.Add(item.error().message);
    }
    return std::nullopt;
  }
  [[nodiscard]] bool is_invalid() const { return is_invalid_; }
  // With the name of the recording.
  [[nodiscard]] std::vector<std::string> Faults() const {
    std::vector<std::string> faults = faults_.Told();
    for (std::string& fault : faults) {
      if (fault.find(name_) == std::string::npos) fault.insert(0, name_ + ": ");
    }
    return faults;
  }

 private:
  RecordingSource& source_;
  const std::string& name_;
  RecordingFaults faults_;
  bool is_invalid_ = false;
};

// Until the first pass, whose policy everything else is about.
std::vector<RecordedItem> Beginning(Reading& reading) {
  std::vector<RecordedItem> items;
  while (auto item = reading.Next()) {
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

tl::unexpected<RunFailure> Failed(std::string message, RunFailure::Cause cause) {
  return tl::unexpected(RunFailure{.message = std::move(message), .cause = cause});
}

}  // namespace

std::optional<AfterEviction> AfterEvictionNamed(const std::string& name) {
  if (name == "back") return AfterEviction::kRestarted;
  if (name == "elsewhere") return AfterEviction::kElsewhere;
  return std::nullopt;
}

int ExitStatusOf(const RunFailure& failure) {
  return failure.cause == RunFailure::Cause::kReading ? kExitFailed : kExitInvalidInput;
}

tl::expected<SimulationReport, RunFailure> RunOver(const RecordingRun& run) {
  auto file = SimulatedFile::Open(run.path);
  if (!file) return Failed(file.error().message, RunFailure::Cause::kReading);
  if (file->stream().IsEmpty()) {
    return Failed(EmptyInput(file->name()), RunFailure::Cause::kReading);
  }
  ProgressBar bar(run.shows_progress);
  return RunOver(run, file->source(), file->name(), [&] { bar.Draw(file->stream().Progress()); });
}

tl::expected<SimulationReport, RunFailure> RunOver(const RecordingRun& run, RecordingSource& source,
                                                   const std::string& name,
                                                   const std::function<void()>& tell) {
  SimulationReport report{.recording = name, .calibration = {}, .every = run.every};
  OneNode own(source);
  Reading reading(own, name);
  const std::vector<RecordedItem> first = Beginning(reading);
  const RecordedPass* pass = first.empty() ? nullptr : PassOf(first.back());
  report.faults = reading.Faults();
  if (pass == nullptr && !report.faults.empty()) {
    return Failed(report.faults.front(), reading.is_invalid() ? RunFailure::Cause::kRecording
                                                              : RunFailure::Cause::kReading);
  }
  const PassPolicy base = pass != nullptr ? *pass->policy : PassPolicy{};
  auto candidates = CandidatesFor(run.candidates, base);
  if (!candidates) return Failed(candidates.error().message, RunFailure::Cause::kUsage);
  if (run.more && pass != nullptr) {
    for (CandidatePolicy& each : run.more(*pass)) candidates->policies.push_back(std::move(each));
  }
  for (const CandidatePolicy& each : candidates->policies) {
    report.policies.push_back(each.policy_for ? each.policy_for(base) : base);
  }
  WhatIf whatif(candidates->policies, OptionsFor(run, candidates->model, false));
  WhatIf calibration({{.name = "in force", .policy_for = {}}},
                     OptionsFor(run, candidates->model, true));
  const auto add = [&](const RecordedItem& item) {
    if (run.onlooker) run.onlooker(item);
    whatif.Add(item);
    calibration.Add(item);
  };
  for (const RecordedItem& item : first) add(item);
  while (pass != nullptr) {
    const auto item = reading.Next();
    if (!item) break;
    add(*item);
    if (tell) tell();
  }
  whatif.Finish();
  calibration.Finish();
  report.faults = reading.Faults();
  report.facts = whatif.facts();
  report.outcomes = whatif.Outcomes();
  const Duration reach =
      std::max<Duration>({run.every, report.facts.longest_step, std::chrono::seconds(1)});
  const std::vector<PolicyOutcome> blind = calibration.Outcomes();
  report.calibration = Compare(report.facts.evictions, blind.front().evictions, reach);
  report.foretold = blind.front();
  return report;
}

}  // namespace jettison
