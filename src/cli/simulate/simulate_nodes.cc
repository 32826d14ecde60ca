#define XXH_INLINE_ALL
#include <fmt/format.h>
#include <xxhash.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <exception>
#include <filesystem>
#include <future>
#include <map>
#include <memory>
#include <optional>
#include <system_error>
#include <thread>
#include <tuple>
#include <utility>
#include <variant>
#include <vector>

#include "cli/recording/recording_file.h"
#include "cli/simulate/simulate.h"
#include "cli/terminal/output.h"
#include "sim/page/page_data.h"
#include "sim/whatif/whatif.h"

namespace jettison {
namespace {

namespace fs = std::filesystem;

constexpr std::array<std::string_view, 3> kExtensions = {".jtr", ".ndjson", ".jsonl"};

// So many faults before anything that could be read: it is no recording.
constexpr int kMostTries = 20;

bool IsRecordingName(const fs::path& path) {
  return std::ranges::find(kExtensions, path.extension().string()) != kExtensions.end() &&
         !path.filename().string().starts_with('.');
}

// Whose recording it is, and from when. An agent may have begun long before what is in this file.
void Probe(FleetFile& file) {
  const auto opened = RecordingFile::Open(file.path);
  for (int tries = 0; opened && !file.from && tries < kMostTries;) {
    const auto item = (*opened)->source().Next();
    if (!item) {
      ++tries;
      continue;
    }
    if (!*item) break;
    const auto* about = std::get_if<RecordingAbout>(&**item);
    if (about == nullptr) file.from = WhenOf(**item);
    if (about != nullptr && file.node.empty()) file.node = about->node;
  }
  if (file.node.empty()) file.node = fs::path(file.name).replace_extension().string();
}

void AddFile(const std::string& path, const std::string& name, std::uint64_t bytes,
             std::vector<FleetFile>& files) {
  files.push_back({.name = name, .path = path, .bytes = bytes, .from = {}});
  Probe(files.back());
}

// The recordings that a path means. `is_only`: there is no other path.
Result<void> AddPath(const std::string& path, bool is_only, std::vector<FleetFile>& files) {
  const auto fail = [](std::string why) { return Fail(ErrorCode::kUnavailable, std::move(why)); };
  const bool is_input = path == "-";
  if (is_input && !is_only) return fail("- (standard input) must be the only recording");
  std::error_code failed;
  const fs::file_status status = is_input ? fs::file_status() : fs::status(path, failed);
  if (failed) return fail(fmt::format("cannot open {}: {}", path, failed.message()));
  if (fs::is_regular_file(status)) {
    AddFile(path, path, fs::file_size(path, failed), files);
    return {};
  }
  if (!fs::is_directory(status)) {
    if (!is_only) {
      return fail(fmt::format(
          "{}: must be the only recording, or a regular file or a folder, because recordings of "
          "several nodes are read more than once; write what it holds to a file first",
          path));
    }
    const std::string name = is_input ? "standard input" : path;
    files.push_back({.name = name, .path = path, .is_stream = true, .from = {}});
    return {};
  }
  const std::string prefix = is_only ? "" : (fs::path(path) / "").string();
  fs::recursive_directory_iterator entry(path, failed);
  for (; !failed && entry != fs::recursive_directory_iterator(); entry.increment(failed)) {
    std::error_code ignored;
    if (!IsRecordingName(entry->path()) || !entry->is_regular_file(ignored)) continue;
    const std::string name = entry->path().lexically_relative(path).string();
    AddFile(entry->path().string(), prefix + name, entry->file_size(ignored), files);
  }
  if (failed) return fail(fmt::format("cannot read {}: {}", path, failed.message()));
  return {};
}

}  // namespace

std::vector<FleetFile> FindRecordings(const std::vector<std::string>& paths,
                                      CommandFaults& faults) {
  std::vector<FleetFile> files;
  bool is_complete = true;
  for (const std::string& path : paths) {
    const auto added = AddPath(path, paths.size() == 1, files);
    is_complete &= added.has_value();
    if (!added) faults.Add(added.error());
  }
  if (is_complete && files.empty()) {
    faults.Add(
        {ErrorCode::kUnavailable,
         fmt::format("there is no recording in {}: no file that ends in .jtr, .ndjson or .jsonl",
                     fmt::join(paths, ", "))});
  }
  std::ranges::sort(files, {}, &FleetFile::name);
  return files;
}

std::vector<FleetNodeFiles> NodesOfShard(const std::vector<FleetFile>& files,
                                         const FleetShard& shard) {
  std::map<std::string, std::vector<FleetFile>> by_node;
  for (const FleetFile& file : files) {
    if (shard.Has(file.node)) by_node[file.node].push_back(file);
  }
  std::vector<FleetNodeFiles> nodes;
  for (auto& [node, own] : by_node) {
    std::ranges::sort(own, [](const FleetFile& a, const FleetFile& b) {
      return std::tie(a.from, a.name) < std::tie(b.from, b.name);
    });
    nodes.push_back({.node = node, .files = std::move(own)});
  }
  return nodes;
}

std::string HashOfFiles(const std::vector<FleetFile>& files) {
  std::string all;
  for (const FleetFile& file : files) {
    all += fmt::format("{}:{} {} {}:{}\n", file.name.size(), file.name, file.bytes,
                       file.node.size(), file.node);
  }
  const XXH128_hash_t hash = XXH3_128bits(all.data(), all.size());
  return fmt::format("{:016x}{:016x}", hash.high64, hash.low64);
}

bool NodeSource::OpenNext() {
  while (next_ < node_.files.size()) {
    const FleetFile& file = node_.files[next_++];
    inputs_.push_back({.name = file.name});
    auto opened = RecordingFile::Open(file.path);
    if (!opened) {
      Note(opened.error());
      continue;
    }
    file_ = *std::move(opened);
    name_ = node_.node;
    is_ours_ = true;
    has_others_ = false;
    return true;
  }
  return false;
}

void NodeSource::Close() {
  SimulatedInput& input = inputs_.back();
  input.bytes = file_->bytes();
  const std::size_t more = std::exchange(more_faults_, 0);
  if (more > 0) input.faults.push_back(fmt::format("and {} more faults", more));
  file_.reset();
}

void NodeSource::Note(const Error& fault) {
  SimulatedInput& input = inputs_.back();
  input.unread |= fault.code != ErrorCode::kInvalidArgument;
  if (input.faults.size() < kMostRecordingFaults) {
    input.faults.push_back(fault.message);
  } else {
    ++more_faults_;
  }
}

std::optional<RecordedItem> NodeSource::Next() {
  while (file_ || OpenNext()) {
    auto item = file_->source().Next();
    if (!item) {
      Note(item.error());
    } else if (!*item) {
      Close();
    } else if (const auto* about = std::get_if<RecordingAbout>(&**item)) {
      if (IsNewStart(*about)) return *std::move(item);
    } else if (is_ours_ && IsNew(**item)) {
      return *std::move(item);
    }
  }
  return std::nullopt;
}

// Parts of another node are left out; where the first one begins is a fault.
bool NodeSource::IsNewStart(const RecordingAbout& about) {
  if (name_.empty()) name_ = about.node;
  is_ours_ = about.node.empty() || about.node == name_;
  if (!is_ours_) {
    if (std::exchange(has_others_, true)) return false;
    Note({ErrorCode::kInvalidArgument,
          fmt::format("from {} on, this is the recording of another node, {}, and is left out",
                      FormatInstant(about.at), about.node)});
    return false;
  }
  const bool is_import = about.maker == kImportMaker;
  start_ = {about.node, about.maker, about.profile, is_import ? Instant{} : about.at};
  const auto [told, is_new] = told_.try_emplace(start_);
  until_ = told->second;
  return is_new;
}

bool NodeSource::IsNew(const RecordedItem& item) {
  const auto* gap = std::get_if<RecordedGap>(&item);
  const Instant at = gap != nullptr ? gap->to : WhenOf(item);
  if (until_ && at <= *until_) return false;
  if (std::holds_alternative<std::shared_ptr<const RecordedPass>>(item)) {
    std::optional<Instant>& last = told_[start_];
    last = std::max(last.value_or(at), at);
  }
  return true;
}

std::vector<SimulatedInput> NodeSource::TakeInputs() {
  while (file_ || OpenNext()) Close();
  return std::exchange(inputs_, {});
}

namespace {

const RecordedPass* PassOf(const RecordedItem& item) {
  const auto* pass = std::get_if<std::shared_ptr<const RecordedPass>>(&item);
  return pass != nullptr ? pass->get() : nullptr;
}

// Until the first pass, whose policy everything else is about.
std::vector<RecordedItem> Beginning(NodeSource& source) {
  std::vector<RecordedItem> items;
  while (auto item = source.Next()) {
    items.push_back(std::move(*item));
    if (PassOf(items.back()) != nullptr) break;
  }
  return items;
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

void Simulate(const RecordingRun& run, NodeSource& source, SimulationReport& report) {
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
    for (CandidatePolicy& each : run.more(pass)) candidates->push_back(std::move(each));
  }
  for (const CandidatePolicy& each : *candidates) {
    report.policies.push_back(each.policy_for ? each.policy_for(base) : base);
  }
  WhatIfOptions options{.model = run.candidates.model, .samples_every = {}};
  if (run.thin_all) options.samples_every = run.every;
  WhatIf whatif(*candidates, options);
  options.samples_every = run.every;
  WhatIf calibration({{.name = "in force", .policy_for = {}}}, options);
  const auto courses = run.courses ? std::make_shared<NodeCourses>() : nullptr;
  report.courses = courses;
  const auto add = [&](const RecordedItem& item) {
    if (courses) courses->Add(item);
    whatif.Add(item);
    calibration.Add(item);
  };
  for (const RecordedItem& item : first) add(item);
  while (const auto item = source.Next()) add(*item);
  whatif.Finish();
  calibration.Finish();
  report.facts = whatif.facts();
  report.outcomes = whatif.Outcomes();
  report.foretold = calibration.Outcomes().front();
  report.calibration.every = run.every;
  Calibrate(report);
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

}  // namespace

SimulationReport RunOver(const RecordingRun& run, const FleetNodeFiles& node) {
  SimulationReport report;
  try {
    NodeSource source(node);
    Simulate(run, source, report);
    report.inputs = source.TakeInputs();
    if (!report.facts.from && report.failure.empty()) TellNoPass(node, report);
  } catch (const std::exception& exception) {
    // There was no memory for it, or a fault of ours ended it.
    report = {.failure = fmt::format("it cannot be simulated: {}", exception.what())};
    for (const FleetFile& file : node.files) {
      report.inputs.push_back({.name = file.name, .unread = true, .faults = {report.failure}});
    }
  }
  if (report.facts.node.empty()) report.facts.node = node.node;
  return report;
}

SimulatedNodes SimulateNodes(const RecordingRun& run, const std::vector<FleetNodeFiles>& nodes) {
  std::vector<std::promise<SimulationReport>> made(nodes.size());
  std::atomic<std::size_t> next = 0;
  const auto work = [&] {
    for (std::size_t i = next++; i < nodes.size(); i = next++) {
      made[i].set_value(RunOver(run, nodes[i]));
    }
  };
  const std::size_t processors = std::max(1U, std::thread::hardware_concurrency());
  const std::size_t jobs = std::min(run.jobs == 0 ? processors : run.jobs, nodes.size());
  std::vector<std::jthread> threads;  // last, so that they end first
  while (threads.size() < jobs) threads.emplace_back(work);
  SimulatedNodes all;
  ProgressBar bar(nodes.size() > 1);
  for (std::promise<SimulationReport>& each : made) {
    const SimulationReport& report = all.reports.emplace_back(each.get_future().get());
    bar.Draw(static_cast<double>(all.reports.size()) / static_cast<double>(nodes.size()),
             fmt::format("{} of {} nodes", all.reports.size(), nodes.size()));
    TellFaults(report);
    const int status = ExitStatusOf(report);
    if (status == kExitFailed || all.status == 0) all.status = status;
  }
  return all;
}

}  // namespace jettison
