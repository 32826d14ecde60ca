#include "cli/simulate/node_source.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <map>
#include <memory>
#include <tuple>
#include <utility>
#include <variant>

#include "cli/recording/recording_file.h"
#include "core/text/hash128.h"

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

// An agent may have begun long before what is in this file.
void TakeFromItems(RecordingFile& opened, FleetFile& file) {
  for (int tries = 0; tries < kMostTries;) {
    const auto item = opened.source().Next();
    if (!item) {
      ++tries;
      continue;
    }
    if (!*item) return;
    const auto* about = std::get_if<RecordingAbout>(&**item);
    if (about == nullptr) {
      file.from = WhenOf(**item);
      return;
    }
    if (file.node.empty()) file.node = about->node;
  }
}

// Whose recording it is, and from when.
void Probe(FleetFile& file) {
  auto opened = RecordingFile::OpenAny(file.path);
  if (opened) TakeFromItems(*opened, file);
  if (file.node.empty()) file.node = fs::path(file.name).replace_extension().string();
}

class Finder {
 public:
  void Add(const std::string& path, bool is_only) {
    struct stat status {};
    if (path == "-" && is_only) return AddStream(path, "standard input");
    if (path == "-") return Complain("- (standard input) must be the only recording");
    if (::stat(path.c_str(), &status) != 0) {
      return Complain(fmt::format("cannot open {}: {}", path, std::strerror(errno)));
    }
    if (S_ISREG(status.st_mode)) {
      return AddFile(path, path, static_cast<std::uint64_t>(status.st_size));
    }
    if (!S_ISDIR(status.st_mode) && is_only) return AddStream(path, path);
    if (!S_ISDIR(status.st_mode)) {
      return Complain(fmt::format(
          "{}: must be the only recording, or a regular file or a folder, because recordings of "
          "several nodes are read more than once; write what it holds to a file first",
          path));
    }
    AddFolder(path, is_only ? "" : (fs::path(path) / "").string());
  }
  Result<std::vector<FleetFile>> Take(const std::vector<std::string>& paths) {
    if (faults_.empty() && files_.empty()) {
      Complain(
          fmt::format("there is no recording in {}: no file that ends in .jtr, .ndjson or .jsonl",
                      fmt::join(paths, ", ")));
    }
    if (!faults_.empty()) return Fail(ErrorCode::kUnavailable, faults_);
    std::ranges::sort(files_, {}, &FleetFile::name);
    return std::move(files_);
  }

 private:
  void Complain(const std::string& fault) {
    faults_ += (faults_.empty() ? "" : "\njettison: ") + fault;
  }
  void AddStream(const std::string& path, const std::string& name) {
    files_.push_back({.name = name, .path = path, .is_stream = true, .from = {}});
  }
  void AddFile(const std::string& path, const std::string& name, std::uint64_t bytes) {
    files_.push_back({.name = name, .path = path, .bytes = bytes, .from = {}});
    Probe(files_.back());
  }
  void AddFolder(const std::string& folder, const std::string& prefix) {
    std::error_code failed;
    fs::recursive_directory_iterator entry(folder, failed);
    for (; !failed && entry != fs::recursive_directory_iterator(); entry.increment(failed)) {
      std::error_code ignored;
      if (!IsRecordingName(entry->path()) || !entry->is_regular_file(ignored)) continue;
      const std::string name = entry->path().lexically_relative(folder).string();
      AddFile(entry->path().string(), prefix + name, entry->file_size(ignored));
    }
    if (failed) Complain(fmt::format("cannot read {}: {}", folder, failed.message()));
  }

  std::vector<FleetFile> files_;
  std::string faults_;
};

}  // namespace

Result<std::vector<FleetFile>> FindRecordings(const std::vector<std::string>& paths) {
  Finder finder;
  for (const std::string& path : paths) finder.Add(path, paths.size() == 1);
  return finder.Take(paths);
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
  return HashOf(all);
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
