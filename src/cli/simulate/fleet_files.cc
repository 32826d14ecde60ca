#include "cli/simulate/fleet_files.h"

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
  Hash128 hash;
  for (const FleetFile& file : files) {
    hash.Add(fmt::format("{}:{} {} {}:{}\n", file.name.size(), file.name, file.bytes,
                         file.node.size(), file.node));
  }
  return hash.Text();
}

}  // namespace jettison
