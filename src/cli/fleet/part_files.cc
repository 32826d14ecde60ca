#include "cli/fleet/part_files.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <utility>
#include <variant>

#include "cli/terminal/progress_bar.h"
#include "codec/fleet/part_reader.h"
#include "kernel/files/line_reader.h"
#include "ports/file_descriptor.h"

namespace jettison {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kPartSuffix = ".part";
constexpr std::size_t kMostFaults = 50;

struct CloseStream {
  void operator()(std::FILE* file) const { std::fclose(file); }
};
using Stream = std::unique_ptr<std::FILE, CloseStream>;

std::string TextOfErrno(const std::string& what) {
  return fmt::format("{}: {}", what, std::strerror(errno));
}

std::vector<std::string> PartsIn(const std::string& folder, std::string& fault) {
  std::vector<std::string> paths;
  std::error_code failed;
  fs::directory_iterator entry(folder, failed);
  for (; !failed && entry != fs::directory_iterator(); entry.increment(failed)) {
    const std::string path = entry->path().string();
    if (path.ends_with(kPartSuffix)) paths.push_back(path);
  }
  std::ranges::sort(paths);
  if (failed) fault = fmt::format("cannot read {}: {}", folder, failed.message());
  if (!failed && paths.empty()) fault = fmt::format("{} has no file that ends in .part", folder);
  return paths;
}

}  // namespace

// Reads parts and remembers what is wrong.
class PartCollector {
 public:
  explicit PartCollector(const std::function<void(const FleetNode&)>& each) : each_(each) {}

  void Add(const std::string& path) {
    std::string fault;
    std::vector<std::string> paths = {path};
    std::error_code ignored;
    if (fs::is_directory(path, ignored)) paths = PartsIn(path, fault);
    if (!fault.empty()) Complain(fault);
    for (const std::string& each : paths) AddFile(each);
  }

  Result<PartFiles> Take(bool partial) {
    if (shards_.empty() && faults_.empty()) Complain("no part was found");
    FindDoubled();
    if (!shards_.empty()) FindMissing(partial);
    if (faults_.empty()) return std::move(files_);
    std::string text;
    for (std::size_t i = 0; i < std::min(kMostFaults, faults_.size()); ++i) {
      text += (i == 0 ? "" : "\njettison: ") + faults_[i];
    }
    if (faults_.size() > kMostFaults) {
      text += fmt::format("\njettison: and {} more faults", faults_.size() - kMostFaults);
    }
    return Fail(ErrorCode::kInvalidArgument, text);
  }

 private:
  void Complain(std::string fault) { faults_.push_back(std::move(fault)); }

  void AddFile(const std::string& path) {
    std::error_code failed;
    if (fs::exists(path, failed) && !fs::is_regular_file(path, failed)) {
      return Complain(path + ": must be a regular file, because parts are read twice");
    }
    const Stream stream(std::fopen(path.c_str(), "re"));
    if (!stream) return Complain(TextOfErrno("cannot open " + path));
    const auto size = fs::file_size(path, failed);
    files_.sources_.push_back(path);
    AddStream(stream.get(), failed || size == 0 ? 1 : static_cast<double>(size));
  }

  // Reads the part of the last source.
  void AddStream(std::FILE* stream, double size) {
    const std::string name = files_.sources_.back();
    LineReader lines(stream, 0);
    PartReader reader;
    std::int64_t offset = 0;
    while (const auto line = lines.Next()) {
      const auto item = reader.Take(*line);
      if (!item) {
        return Complain(fmt::format("{}:{}: {}", name, lines.line_number(), item.error().message));
      }
      if (const auto* manifest = std::get_if<FleetManifest>(&*item)) TakeManifest(*manifest, name);
      if (const auto* node = std::get_if<FleetNode>(&*item)) {
        files_.lines_.push_back({.node = node->node,
                                 .source = files_.sources_.size() - 1,
                                 .offset = offset,
                                 .size = line->size()});
        each_(*node);
      }
      offset += static_cast<std::int64_t>(line->size()) + 1;
      Draw(static_cast<double>(offset) / size);
    }
    if (lines.Failed()) return Complain(TextOfErrno("cannot read " + name));
    if (reader.is_open()) return Complain(name + ": the part is not complete");
    if (offset == 0) Complain(name + ": the file is empty");
  }

  // `share`: of the part that is read.
  void Draw(double share) {
    if (shards_.empty()) return;
    const double before = static_cast<double>(shards_.size()) - 1;
    bar_.Draw((before + share) / static_cast<double>(files_.manifest_.shard.count));
  }

  void TakeManifest(const FleetManifest& manifest, const std::string& name) {
    if (shards_.empty()) {
      files_.manifest_ = manifest;
      first_ = name;
    }
    for (const std::string& difference : DifferencesOf(files_.manifest_, manifest)) {
      Complain(fmt::format("{} and {} belong to different fleets: {}", first_, name, difference));
    }
    const auto [known, is_new] = shards_.emplace(manifest.shard.index, name);
    if (is_new) return;
    Complain(
        fmt::format("{} and {} both have shard {}", known->second, name, manifest.shard.Text()));
  }

  void FindDoubled() {
    std::ranges::sort(files_.lines_, {}, &PartFiles::NodeLine::node);
    for (std::size_t i = 1; i < files_.lines_.size(); ++i) {
      if (files_.lines_[i].node != files_.lines_[i - 1].node) continue;
      Complain(fmt::format("node {} is in {} and in {}", files_.lines_[i].node,
                           files_.sources_[files_.lines_[i - 1].source],
                           files_.sources_[files_.lines_[i].source]));
    }
  }

  void FindMissing(bool partial) {
    const std::uint64_t count = files_.manifest_.shard.count;
    std::string told;
    for (std::uint64_t shard = 0; shard < count; ++shard) {
      if (shards_.contains(shard)) continue;
      files_.missing_.push_back(shard);
      if (files_.missing_.size() <= kMostFaults) told += fmt::format(" {}", shard);
    }
    if (partial || files_.missing_.empty()) return;
    Complain(fmt::format("{} of {} shards are missing:{}{}; use --partial to continue without them",
                         files_.missing_.size(), count, told,
                         files_.missing_.size() > kMostFaults ? " ..." : ""));
  }

  const std::function<void(const FleetNode&)>& each_;
  PartFiles files_;
  std::map<std::uint64_t, std::string> shards_;  // where each is
  std::string first_;                            // that the others are compared with
  std::vector<std::string> faults_;
  ProgressBar bar_{true};
};

Result<PartFiles> PartFiles::Read(const std::vector<std::string>& paths, bool partial,
                                  const std::function<void(const FleetNode&)>& each) {
  PartCollector collector(each);
  for (const std::string& path : paths) collector.Add(path);
  return collector.Take(partial);
}

std::vector<std::string> FilesOfParts(const std::vector<std::string>& paths) {
  std::vector<std::string> files;
  for (const std::string& path : paths) {
    std::string ignored_fault;
    std::error_code ignored;
    const bool is_folder = fs::is_directory(path, ignored);
    std::ranges::move(is_folder ? PartsIn(path, ignored_fault) : std::vector{path},
                      std::back_inserter(files));
  }
  return files;
}

// One file is open at a time: there may be more parts than a process may have open.
bool PartFiles::Visit(const std::function<bool(const FleetNode&)>& visit) {
  JsonReader json;
  std::string text;
  FileDescriptor open;
  std::optional<std::size_t> open_source;
  // What is written to the same terminal meanwhile would be written into the bar.
  ProgressBar bar(::isatty(STDOUT_FILENO) == 0);
  std::size_t visited = 0;
  for (const NodeLine& line : lines_) {
    bar.Draw(static_cast<double>(visited++) / static_cast<double>(lines_.size()));
    if (open_source != line.source) {
      open = FileDescriptor(::open(sources_[line.source].c_str(), O_RDONLY | O_CLOEXEC));
      open_source = line.source;
    }
    text.resize(line.size);
    std::size_t at = 0;
    while (at < text.size()) {
      const ssize_t read = ::pread(open.get(), text.data() + at, text.size() - at,
                                   line.offset + static_cast<std::int64_t>(at));
      if (read < 0 && errno == EINTR) continue;
      if (read <= 0) return false;
      at += static_cast<std::size_t>(read);
    }
    const auto node = ReadPartLine(text, json);
    if (!node || node->node != line.node || !visit(*node)) return false;
  }
  return true;
}

}  // namespace jettison
