#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <iterator>
#include <map>
#include <utility>

#include "cli/simulate/node_source.h"
#include "codec/documents/form_reader.h"
#include "codec/documents/json.h"
#include "kernel/files/line_reader.h"
#include "sim/report/report_fields.h"
#include "sim/report/simulation_writer.h"

namespace jettison {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kSuffix = ".ndjson";
constexpr std::size_t kMostShardFaults = 50;

tl::unexpected<Error> Invalid(std::string message) {
  return Fail(ErrorCode::kInvalidArgument, std::move(message));
}

std::string TextIn(const Value& map, std::string_view key) {
  const Value* value = map.Find(key);
  const std::string* text = value == nullptr ? nullptr : value->AsString();
  return text == nullptr ? "" : *text;
}

// The files that a path means.
std::vector<std::string> FilesAt(const std::string& path, std::string& fault) {
  std::error_code failed;
  if (!fs::is_directory(path, failed)) return {path};
  std::vector<std::string> files;
  fs::directory_iterator entry(path, failed);
  for (; !failed && entry != fs::directory_iterator(); entry.increment(failed)) {
    if (entry->path().string().ends_with(kSuffix)) files.push_back(entry->path().string());
  }
  std::ranges::sort(files);
  if (failed) fault = fmt::format("cannot read {}: {}", path, failed.message());
  if (!failed && files.empty()) fault = fmt::format("{} has no file that ends in .ndjson", path);
  return files;
}

}  // namespace

std::vector<std::string> FilesOfShards(const std::vector<std::string>& paths) {
  std::vector<std::string> files;
  for (const std::string& path : paths) {
    std::string ignored;
    std::ranges::move(FilesAt(path, ignored), std::back_inserter(files));
  }
  return files;
}

Result<void> ShardLines::TakeHead(std::string_view line) {
  const auto value = ParseJson(line, 0);
  if (!value) return Invalid(value.error().message);
  if (TextIn(*value, "kind") != kShardKind) return Invalid("this is no result of a shard");
  const std::string version = TextIn(*value, "apiVersion");
  if (version != kSimulationApiVersion) {
    return Fail(ErrorCode::kUnavailable,
                fmt::format("the result is of apiVersion {}, which is not {}", version,
                            kSimulationApiVersion));
  }
  FormReader fields(*value);
  VisitFields(fields, head_);
  if (head_.policies.empty() || !ParseShard(head_.shard.Text())) {
    return Invalid("the result has no policy, or no such shard");
  }
  return {};
}

Result<std::optional<SimulationReport>> ShardLines::TakeNode(std::string_view line) {
  const auto value = ParseJson(line, 0);
  if (!value) return Invalid(value.error().message);
  if (const Value* end = value->Find("end")) {
    std::uint64_t nodes = 0;
    FormReader fields(*end);
    fields("nodes", nodes);
    if (nodes == nodes_) return std::nullopt;
    return Invalid(fmt::format("the result has {} nodes, and {} were written", nodes_, nodes));
  }
  SimulationReport report;
  FormReader fields(*value);
  VisitFields(fields, report);
  const std::string& node = report.facts.node;
  if (node.empty()) return Invalid("a line of the result names no node");
  if (nodes_ > 0 && node <= last_node_) {
    return Invalid(fmt::format("node {} is not in its order", node));
  }
  if (!head_.shard.Has(node)) {
    return Invalid(fmt::format("node {} is not of shard {}", node, head_.shard.Text()));
  }
  if (report.outcomes.size() != (report.failure.empty() ? head_.policies.size() : 0)) {
    return Invalid(fmt::format("node {} has other policies than the result", node));
  }
  Calibrate(report);
  last_node_ = node;
  ++nodes_;
  return report;
}

// A file whose next node is read ahead.
class ShardFiles::File {
 public:
  explicit File(std::string path)
      : path_(std::move(path)), stream_(std::fopen(path_.c_str(), "re")) {}
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  ~File() {
    if (stream_ != nullptr) std::fclose(stream_);
  }

  // Reads the head.
  Result<void> Begin() {
    if (stream_ == nullptr) {
      return Fail(ErrorCode::kUnavailable,
                  fmt::format("cannot open {}: {}", path_, std::strerror(errno)));
    }
    lines_.emplace(stream_);
    const auto line = NextLine();
    if (!line) return Fail(line.error());
    if (auto head = shard_.TakeHead(*line); !head) return Fail(head.error().In(Place()));
    return {};
  }
  // Reads the next node.
  Result<void> Advance() {
    const auto line = NextLine();
    if (!line) return Fail(line.error());
    auto node = shard_.TakeNode(*line);
    if (!node) return Fail(node.error().In(Place()));
    next_ = std::move(*node);
    return {};
  }

  [[nodiscard]] const std::string& path() const { return path_; }
  [[nodiscard]] const SimulationHead& head() const { return shard_.head(); }
  std::optional<SimulationReport> next_;

 private:
  [[nodiscard]] std::string Place() const {
    return fmt::format("{}:{}", path_, lines_->line_number());
  }
  Result<std::string_view> NextLine() {
    const auto line = lines_->Next();
    if (line && lines_->IsCutOff()) return Invalid(Place() + ": " + lines_->TooLong());
    if (line) return *line;
    if (!lines_->Failed()) return Invalid(path_ + ": the result is not complete");
    return Fail(ErrorCode::kUnavailable,
                fmt::format("cannot read {}: {}", path_, std::strerror(errno)));
  }

  std::string path_;
  std::FILE* stream_;
  std::optional<LineReader> lines_;
  ShardLines shard_;
};

ShardFiles::ShardFiles() = default;
ShardFiles::ShardFiles(ShardFiles&&) noexcept = default;
ShardFiles& ShardFiles::operator=(ShardFiles&&) noexcept = default;
ShardFiles::~ShardFiles() = default;

Result<ShardFiles> ShardFiles::Open(const std::vector<std::string>& paths, bool partial) {
  ShardFiles all;
  std::vector<std::string> faults;
  std::map<std::uint64_t, std::string> shards;  // where each is
  for (const std::string& path : paths) {
    std::string fault;
    for (const std::string& each : FilesAt(path, fault)) {
      auto file = std::make_unique<File>(each);
      auto begun = file->Begin();
      if (begun) begun = file->Advance();
      if (!begun) {
        faults.push_back(begun.error().message);
        continue;
      }
      if (all.files_.empty()) all.head_ = file->head();
      for (const std::string& difference : DifferencesOf(all.head_, file->head())) {
        const std::string& first = all.files_.empty() ? each : all.files_.front()->path();
        faults.push_back(
            fmt::format("{} and {} belong to different fleets: {}", first, each, difference));
      }
      const auto [known, is_new] = shards.emplace(file->head().shard.index, each);
      if (!is_new) {
        faults.push_back(fmt::format("{} and {} both have shard {}", known->second, each,
                                     file->head().shard.Text()));
      }
      all.files_.push_back(std::move(file));
    }
    if (!fault.empty()) faults.push_back(fault);
  }
  for (std::uint64_t i = 0; !all.files_.empty() && i < all.head_.shard.count; ++i) {
    if (!shards.contains(i)) all.head_.missing_shards.push_back(i);
  }
  const auto& missing = all.head_.missing_shards;
  if (!partial && !missing.empty()) {
    const std::size_t told = std::min(kMostShardFaults, missing.size());
    faults.push_back(fmt::format(
        "{} of {} shards are missing: {}{}; use --partial to continue without them", missing.size(),
        all.head_.shard.count,
        fmt::join(missing.begin(), missing.begin() + static_cast<std::ptrdiff_t>(told), " "),
        told < missing.size() ? " ..." : ""));
  }
  // How the nodes were divided is not part of the result.
  all.head_.shard = {.index = 0, .count = missing.empty() ? 1 : all.head_.shard.count};
  if (faults.empty()) return all;
  if (faults.size() > kMostShardFaults) {
    const std::size_t more = faults.size() - kMostShardFaults;
    faults.resize(kMostShardFaults);
    faults.push_back(fmt::format("and {} more faults", more));
  }
  return Invalid(fmt::format("{}", fmt::join(faults, "\njettison: ")));
}

Result<std::optional<SimulationReport>> ShardFiles::Next() {
  File* first = nullptr;
  for (const auto& file : files_) {
    const bool is_next =
        file->next_ && (first == nullptr || file->next_->facts.node < first->next_->facts.node);
    if (is_next) first = file.get();
  }
  if (first == nullptr) return std::nullopt;
  std::optional<SimulationReport> node = std::exchange(first->next_, std::nullopt);
  if (auto read = first->Advance(); !read) return Fail(read.error());
  return node;
}

}  // namespace jettison
