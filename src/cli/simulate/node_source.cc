#include "cli/simulate/node_source.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstring>
#include <string_view>
#include <utility>
#include <variant>

#include "core/text/hash128.h"
#include "sim/replay.h"

namespace jettison {
namespace {

// Of a record that an agent wrote: "pass 210".
std::optional<std::uint64_t> NumberOf(const Scenario& scenario) {
  constexpr std::string_view kPass = "pass ";
  const std::string& name = scenario.name;
  if (scenario.steps.size() != 1 || !name.starts_with(kPass)) return std::nullopt;
  std::uint64_t number = 0;
  const char* const end = name.data() + name.size();
  const auto read = std::from_chars(name.data() + kPass.size(), end, number);
  if (read.ec != std::errc() || read.ptr != end) return std::nullopt;
  return number;
}

bool AreSame(const PassPolicy& a, const PassPolicy& b) {
  return std::ranges::equal(a.thresholds, b.thresholds,
                            [](const Threshold& x, const Threshold& y) {
                              return x.signal == y.signal && x.value == y.value &&
                                     x.grace_period == y.grace_period &&
                                     x.min_reclaim == y.min_reclaim;
                            }) &&
         a.pressure_transition_period == b.pressure_transition_period &&
         a.max_pod_grace_period_seconds == b.max_pod_grace_period_seconds &&
         a.local_storage_capacity_isolation == b.local_storage_capacity_isolation &&
         a.layout == b.layout && a.hard_first == b.hard_first;
}

constexpr std::string_view kBlanks = " \t\r\n";

// Items of a recording as NDJSON are objects of one member. What begins otherwise with a brace is a
// scenario; anything else is looked through for the chunks of a recording.
constexpr std::array<std::string_view, 7> kItems = {"about", "policy",  "pod", "pass",
                                                    "gap",   "oomKill", "note"};

bool BeginsAsScenario(std::string_view head) {
  const auto skip = [&head](std::string_view characters) {
    head.remove_prefix(std::min(head.find_first_not_of(characters), head.size()));
  };
  skip(kBlanks);
  if (!head.starts_with('{')) return head.empty();
  head.remove_prefix(1);
  skip(kBlanks);
  if (!head.starts_with('"')) return true;
  head.remove_prefix(1);
  for (const std::string_view item : kItems) {
    if (!head.starts_with(item) || !head.substr(item.size()).starts_with('"')) continue;
    head.remove_prefix(item.size() + 1);
    skip(kBlanks);
    skip(":");
    skip(kBlanks);
    return !head.starts_with('{');
  }
  return true;
}

}  // namespace

Result<std::optional<RecordedItem>> ScenarioSource::Next() {
  while (ready_.empty()) {
    const auto line = lines_.Next();
    if (!line) {
      if (!lines_.Failed()) return std::nullopt;
      return Fail(ErrorCode::kUnavailable,
                  fmt::format("cannot read {}: {}", name_, std::strerror(errno)));
    }
    if (IsBlank(*line)) continue;
    if (auto read = Read(*line); !read) {
      return Fail(read.error().In(fmt::format("{}:{}", name_, lines_.line_number())));
    }
  }
  RecordedItem item = std::move(ready_.front());
  ready_.pop_front();
  return item;
}

// Pods and policies that stay the same are the same objects.
std::shared_ptr<const PodFacts> ScenarioSource::Shared(const PodFacts& facts) {
  std::shared_ptr<const PodFacts>& known = pods_[facts.pod.uid];
  if (known == nullptr || known->protection != facts.protection || !(known->pod == facts.pod)) {
    known = std::make_shared<const PodFacts>(facts);
  }
  return known;
}

Result<void> ScenarioSource::Read(std::string_view record) {
  if (lines_.IsCutOff()) return Fail(ErrorCode::kInvalidArgument, lines_.TooLong());
  std::string hash = HashOf(record);
  if (known_.contains(hash)) return {};
  const auto read = reader_.Read(record, scenario_);
  if (!read) return Fail(read.error());
  known_.insert(std::move(hash));
  if (*read) return {};  // an image collection, which evicts nobody
  const auto number = NumberOf(scenario_);
  const bool is_known = number && last_number_ && *number <= *last_number_ && last_at_ &&
                        scenario_.start <= *last_at_;
  if (is_known) return {};
  if (!last_at_ || (number && last_number_ && *number <= *last_number_)) {
    ready_.emplace_back(RecordingAbout{
        .at = scenario_.start, .node = "", .maker = "jettison", .profile = scenario_.profile});
  }
  if (policy_ == nullptr || !AreSame(*policy_, scenario_.policy)) {
    policy_ = std::make_shared<const PassPolicy>(scenario_.policy);
  }
  std::vector<StepOutcome> outcomes = Replay(scenario_);
  EvictionState state = scenario_.state;
  for (std::size_t i = 0; i < outcomes.size(); ++i) {
    const ScenarioStep& step = scenario_.steps[i];
    auto pass = std::make_shared<RecordedPass>();
    pass->number = number ? *number : last_number_.value_or(0) + 1;
    pass->policy = policy_;
    pass->before = state;
    pass->summary = step.summary;
    pass->after_reclaim = step.summary_after_reclaim;
    pass->pace = step.pace;
    for (const std::size_t pod : step.active) pass->pods.push_back(Shared(scenario_.pods[pod]));
    pass->report = std::move(outcomes[i].report);
    state = pass->report.evaluation.next;
    if (!pass->report.evictions.empty()) {
      MarkEviction(pass->report.observations, pass->report.at, state);
    }
    last_number_ = pass->number;
    last_at_ = pass->report.at;
    ready_.emplace_back(std::shared_ptr<const RecordedPass>(std::move(pass)));
  }
  return {};
}

Result<SimulatedFile> SimulatedFile::Open(const std::string& path) {
  auto stream = InputStream::Open(path);
  if (!stream) return Fail(stream.error());
  SimulatedFile simulated;
  simulated.name_ = path == "-" ? "standard input" : path;
  simulated.stream_ = std::move(*stream);
  std::FILE* const file = simulated.stream_->file();
  if (BeginsAsScenario(simulated.stream_->Head())) {
    simulated.scenarios_ = std::make_unique<ScenarioSource>(simulated.name_, file);
  } else {
    simulated.recording_.emplace(file);
  }
  return simulated;
}

RecordingSource& SimulatedFile::source() {
  if (recording_) return recording_->source();
  return *scenarios_;
}

Result<std::optional<RecordedItem>> OneNode::Next() {
  for (;;) {
    auto item = source_.Next();
    if (!item || !*item) return item;
    const auto* about = std::get_if<RecordingAbout>(&**item);
    if (about != nullptr) is_ours_ = IsOurs(*about);
    if (is_ours_) return item;
    if (about == nullptr || !strangers_.insert(about->node).second) continue;
    return Fail(
        ErrorCode::kInvalidArgument,
        fmt::format("from {} on, this is the recording of another node, {}, and is left out",
                    FormatInstant(about->at), about->node));
  }
}

bool OneNode::IsOurs(const RecordingAbout& about) {
  if (node_.empty()) node_ = about.node;
  return about.node.empty() || about.node == node_;
}

void RecordingFaults::Add(const std::string& fault) {
  const bool is_same = repeated_ > 0 && fault == last_;
  repeated_ = is_same ? repeated_ + 1 : 1;
  if (is_same) return;
  last_ = fault;
  if (told_.size() < kMostRecordingFaults) {
    told_.push_back(fault);
  } else {
    ++more_;
  }
}

std::vector<std::string> RecordingFaults::Told() const {
  std::vector<std::string> told = told_;
  if (more_ > 0) told.push_back(fmt::format("and {} more faults", more_));
  if (IsStuck()) {
    told.push_back(fmt::format("reading does not go on, so the rest is not read: {}", last_));
  }
  return told;
}

bool NodeSource::OpenNext() {
  while (next_ < node_.files.size()) {
    const FleetFile& file = node_.files[next_++];
    inputs_.push_back({.name = file.name});
    faults_ = {};
    auto opened = SimulatedFile::Open(file.path);
    if (!opened) {
      Note(opened.error());
      inputs_.back().faults = faults_.Told();
      continue;
    }
    file_.emplace(std::move(*opened));
    own_.emplace(file_->source(), node_.node);
    goes_on_ = false;
    return true;
  }
  return false;
}

void NodeSource::Close() {
  SimulatedInput& input = inputs_.back();
  input.bytes = file_->stream().bytes();
  input.faults = faults_.Told();
  own_.reset();
  file_.reset();
}

void NodeSource::Note(const Error& fault) {
  faults_.Add(fault.message);
  inputs_.back().unread |= fault.code != ErrorCode::kInvalidArgument;
}

Result<std::optional<RecordedItem>> NodeSource::Next() {
  if (held_) return std::exchange(held_, std::nullopt);
  while (file_ || OpenNext()) {
    auto item = own_->Next();
    if (item && *item) {
      faults_.NoteProgress();
      if (IsToBeTold(**item)) return Tell(**std::move(item));
      continue;
    }
    if (!item) Note(item.error());
    if (item || faults_.IsStuck()) Close();
  }
  return std::nullopt;
}

// Whose an item is comes before it, where what was told last is of another start.
RecordedItem NodeSource::Tell(RecordedItem item) {
  if (told_about_ == about_) return item;
  told_about_ = about_;
  if (std::holds_alternative<RecordingAbout>(item)) return item;
  held_ = std::move(item);
  return *about_;
}

bool NodeSource::IsToBeTold(const RecordedItem& item) {
  if (const auto* about = std::get_if<RecordingAbout>(&item)) return TakeAbout(*about);
  const auto* gap = std::get_if<RecordedGap>(&item);
  const Instant at = gap != nullptr ? gap->to : WhenOf(item);
  // A gap begins where the last pass was, and at the end of a recording may end there, too.
  const bool is_end = gap != nullptr && gap->from == gap->to && told_about_ == about_ &&
                      told_ != nullptr && told_->last == at;
  if (IsTold(at) && !is_end) return false;
  if (told_ != nullptr && std::holds_alternative<std::shared_ptr<const RecordedPass>>(item)) {
    told_->Add(at);
  }
  return true;
}

bool NodeSource::TakeAbout(const RecordingAbout& about) {
  const bool is_import = about.maker == kImportMaker;
  const auto [told, is_new] = is_import ? starts_.OfImport(about) : starts_.Of(about);
  told_ = told;
  goes_on_ = !is_new;
  // One import goes on where the other ends.
  const bool is_same_import = is_import && !is_new && told_about_ &&
                              told_about_->maker == about.maker && told_about_->node == about.node;
  about_ = is_same_import ? told_about_ : about;
  return is_new;
}

bool NodeSource::IsTold(Instant at) const {
  return goes_on_ && told_->last && at <= *told_->last;
}

double NodeSource::Progress() const {
  const double now = file_ ? file_->stream().Progress() : 1;
  const auto begun = static_cast<double>(next_);
  return (begun - 1 + now) / static_cast<double>(std::max<std::size_t>(node_.files.size(), 1));
}

std::vector<SimulatedInput> NodeSource::TakeInputs() {
  while (file_ || OpenNext()) Close();
  return std::exchange(inputs_, {});
}

}  // namespace jettison
