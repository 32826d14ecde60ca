#include "cli/simulate/node_source.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <variant>

namespace jettison {

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

// Items of another node, because recordings of several were put together, are left out; where they
// begin is a fault, once for each other node.
Result<std::optional<RecordedItem>> NodeSource::NextOfFile() {
  for (;;) {
    auto item = file_->source().Next();
    if (!item || !*item) return item;
    const auto* about = std::get_if<RecordingAbout>(&**item);
    if (about != nullptr) {
      if (name_.empty()) name_ = about->node;
      is_ours_ = about->node.empty() || about->node == name_;
    }
    if (is_ours_) return item;
    if (about == nullptr || !strangers_.insert(about->node).second) continue;
    return Fail(
        ErrorCode::kInvalidArgument,
        fmt::format("from {} on, this is the recording of another node, {}, and is left out",
                    FormatInstant(about->at), about->node));
  }
}

bool NodeSource::OpenNext() {
  while (next_ < node_.files.size()) {
    const FleetFile& file = node_.files[next_++];
    inputs_.push_back({.name = file.name});
    faults_ = {};
    auto opened = RecordingFile::OpenAny(file.path);
    if (!opened) {
      Note(opened.error());
      inputs_.back().faults = faults_.Told();
      continue;
    }
    file_.emplace(std::move(*opened));
    name_ = node_.node;
    is_ours_ = true;
    strangers_.clear();
    goes_on_ = false;
    return true;
  }
  return false;
}

void NodeSource::Close() {
  SimulatedInput& input = inputs_.back();
  input.bytes = file_->bytes();
  input.faults = faults_.Told();
  file_.reset();
}

void NodeSource::Note(const Error& fault) {
  faults_.Add(fault.message);
  inputs_.back().unread |= fault.code != ErrorCode::kInvalidArgument;
}

Result<std::optional<RecordedItem>> NodeSource::Next() {
  if (held_) return std::exchange(held_, std::nullopt);
  while (file_ || OpenNext()) {
    auto item = NextOfFile();
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
  const double now = file_ ? file_->Progress() : 1;
  const auto begun = static_cast<double>(next_);
  return (begun - 1 + now) / static_cast<double>(std::max<std::size_t>(node_.files.size(), 1));
}

std::vector<SimulatedInput> NodeSource::TakeInputs() {
  while (file_ || OpenNext()) Close();
  return std::exchange(inputs_, {});
}

}  // namespace jettison
