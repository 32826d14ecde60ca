#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <iterator>
#include <map>
#include <memory>
#include <optional>
#include <utility>

#include "cli/simulate/simulate.h"
#include "codec/documents/form_reader.h"
#include "codec/documents/json.h"
#include "kernel/files/line_reader.h"
#include "sim/report/report_fields.h"
#include "sim/report/simulation_report.h"

namespace jettison {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kSuffix = ".ndjson";
constexpr std::size_t kMostShardsTold = 50;

tl::unexpected<Error> Invalid(std::string message) {
  return Fail(ErrorCode::kInvalidArgument, std::move(message));
}

// What two shards differ in that are not of one fleet.
std::vector<std::string_view> DifferencesOf(const SimulationHead& a, const SimulationHead& b) {
  const std::pair<std::string_view, bool> parts[] = {
      {"the version", a.version == b.version},
      {"the options", a.options == b.options},
      {"the policies", a.policies == b.policies},
      {"the number of shards", a.shard.count == b.shard.count},
      {"the recordings", a.recordings == b.recordings && a.hash == b.hash}};
  std::vector<std::string_view> differences;
  for (const auto& [name, is_same] : parts) {
    if (!is_same) differences.push_back(name);
  }
  return differences;
}

}  // namespace

std::vector<std::string> FilesOfShards(const std::vector<std::string>& paths,
                                       std::vector<std::string>& faults) {
  std::vector<std::string> files;
  for (const std::string& path : paths) {
    std::error_code failed;
    if (!fs::is_directory(path, failed)) {
      files.push_back(path);
      continue;
    }
    std::vector<std::string> found;
    fs::directory_iterator entry(path, failed);
    for (; !failed && entry != fs::directory_iterator(); entry.increment(failed)) {
      if (entry->path().string().ends_with(kSuffix)) found.push_back(entry->path().string());
    }
    std::ranges::sort(found);
    if (failed) faults.push_back(fmt::format("cannot read {}: {}", path, failed.message()));
    if (!failed && found.empty()) {
      faults.push_back(fmt::format("{} has no file that ends in .ndjson", path));
    }
    std::ranges::move(found, std::back_inserter(files));
  }
  return files;
}

Result<SimulationHead> ReadShardHead(std::string_view line) {
  const auto value = ParseJson(line, 0);
  if (!value) return Invalid(value.error().message);
  SimulationHead head;
  std::string kind;
  std::string version;
  FormReader fields(*value);
  fields("kind", kind);
  fields("apiVersion", version);
  VisitFields(fields, head);
  if (kind != kShardKind) return Invalid("this is no result of a shard");
  if (version != kSimulationApiVersion) {
    return Fail(ErrorCode::kUnavailable,
                fmt::format("the result is of apiVersion {}, which is not {}", version,
                            kSimulationApiVersion));
  }
  if (head.policies.empty() || !ParseShard(head.shard.Text())) {
    return Invalid("the result has no policy, or no such shard");
  }
  return head;
}

Result<SimulationReport> ReadShardNode(std::string_view line, const SimulationHead& head) {
  const auto value = ParseJson(line, 0);
  if (!value) return Invalid(value.error().message);
  SimulationReport report;
  FormReader fields(*value);
  VisitFields(fields, report);
  const std::string& node = report.facts.node;
  if (node.empty()) return Invalid("a line of the result names no node");
  if (!head.shard.Has(node)) {
    return Invalid(fmt::format("node {} is not of shard {}", node, head.shard.Text()));
  }
  if (report.outcomes.size() != (report.failure.empty() ? head.policies.size() : 0)) {
    return Invalid(fmt::format("node {} has other policies than the result", node));
  }
  Calibrate(report);
  return report;
}

namespace {

// The head of a result; its nodes are added to `nodes`.
Result<SimulationHead> ReadShard(const std::string& path, std::vector<SimulationReport>& nodes) {
  const std::unique_ptr<std::FILE, decltype(&std::fclose)> stream(std::fopen(path.c_str(), "re"),
                                                                  &std::fclose);
  const auto cannot = [&](std::string_view what) {
    return Fail(ErrorCode::kUnavailable,
                fmt::format("cannot {} {}: {}", what, path, std::strerror(errno)));
  };
  if (!stream) return cannot("open");
  LineReader lines(stream.get());
  const std::size_t others = nodes.size();
  std::optional<SimulationHead> head;
  while (const auto line = lines.Next()) {
    const std::string place = fmt::format("{}:{}", path, lines.line_number());
    if (lines.IsCutOff()) return Invalid(place + ": " + lines.TooLong());
    if (!head) {
      auto read = ReadShardHead(*line);
      if (!read) return Fail(read.error().In(place));
      head = *std::move(read);
      continue;
    }
    if (*line == ShardEnd(nodes.size() - others)) return *std::move(head);
    auto node = ReadShardNode(*line, *head);
    if (!node) return Fail(node.error().In(place));
    nodes.push_back(*std::move(node));
  }
  if (lines.Failed()) return cannot("read");
  return Invalid(path + ": the result is not complete");
}

}  // namespace

Result<ShardSum> SumOfShards(const std::vector<std::string>& files,
                             std::vector<std::string> faults) {
  ShardSum sum;
  std::map<std::uint64_t, std::string> shards;  // where each is
  for (const std::string& each : files) {
    const auto head = ReadShard(each, sum.nodes);
    if (!head) {
      faults.push_back(head.error().message);
      continue;
    }
    if (shards.empty()) sum.head = *head;
    const auto [known, is_new] = shards.emplace(head->shard.index, each);
    if (!is_new) {
      faults.push_back(
          fmt::format("{} and {} both have shard {}", known->second, each, head->shard.Text()));
    }
    if (const auto differences = DifferencesOf(sum.head, *head); !differences.empty()) {
      faults.push_back(fmt::format("{} belongs to another fleet than the first result: {} differ",
                                   each, fmt::join(differences, ", ")));
    }
  }
  std::vector<std::uint64_t> missing;
  for (std::uint64_t i = 0; !shards.empty() && i < sum.head.shard.count; ++i) {
    if (!shards.contains(i)) missing.push_back(i);
  }
  if (!missing.empty()) {
    const std::size_t count = missing.size();
    missing.resize(std::min(kMostShardsTold, count));
    faults.push_back(fmt::format("{} of {} shards are missing: {}{}", count, sum.head.shard.count,
                                 fmt::join(missing, " "), missing.size() < count ? " ..." : ""));
  }
  if (!faults.empty()) return Invalid(fmt::format("{}", fmt::join(faults, "\njettison: ")));
  sum.head.shard = {};  // how the nodes were divided is not part of the result
  std::ranges::sort(sum.nodes, {}, [](const SimulationReport& node) { return node.facts.node; });
  return sum;
}

}  // namespace jettison
