#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/metric_series/metric_series.h"
#include "core/units/duration.h"
#include "core/units/result.h"
#include "http/client/client.h"
#include "sim/imported/convert.h"
#include "sim/imported/series.h"

namespace CLI {
class App;
}

namespace jettison {

// Adds `jettison import`, which makes recordings from the figures that a Prometheus has kept.
void AddImport(CLI::App& app, int& exit_code);

// As the command line says it.
struct ImportCommand {
  std::string form = "prometheus";
  std::string source;  // a URL or a file
  std::vector<std::string> nodes;
  std::string from;
  std::string to = "now";
  std::string out = ".";
  std::vector<std::string> config_files;
  std::string profile = "auto";
  std::vector<std::string> priority_classes;  // NAME=VALUE
  std::vector<std::string> instances;         // NODE=HOST:PORT
  ImportPaths paths;
  std::string token_file;
  std::string basic_auth_file;  // "user:password"
  std::string ca_file;
  std::string cert_file;
  std::string key_file;
  int timeout_seconds = 120;
};

// What is imported from where.
struct ImportRequest {
  bool over_http = false;
  std::string file;         // a dump
  HttpTarget target;        // a Prometheus
  std::string path_prefix;  // of its API
  std::set<std::string> nodes;
  std::map<std::string, std::string> instances;  // to node
  std::string out;
  std::vector<std::string> inputs;  // every file that is read
  ImportOptions options;
};

// Reads and checks all of it; what the author of a configuration may have meant differently is told
// on standard error. Fails with every fault, a line each: kUnavailable where a file cannot be read,
// else kInvalidArgument.
[[nodiscard]] Result<ImportRequest> ReadImportRequest(const ImportCommand& command, Instant now);

// Where the recording of a node is written: `out` itself, or in it where it is a folder or is to
// hold several. Characters that have no place in the name of a file become "%2F" and
// the like.
[[nodiscard]] std::string RecordingPath(const std::string& out, const std::string& node,
                                        bool several);

// A recording that is there once it is complete, with its size.
struct WrittenNode {
  std::string path;
  std::uint64_t bytes = 0;
  ImportSummary summary;
};
// Makes and writes the recording of one node.
[[nodiscard]] Result<WrittenNode> WriteNode(const std::string& path, const std::string& node,
                                            const NodeSeries& series, const ImportOptions& options);

// A dump of a Prometheus in a file. It is read line by line; nothing is held of it.
class TextSource {
 public:
  explicit TextSource(std::string path) : path_(std::move(path)) {}

  // Reads which series there are, and what they tell of nodes. What is wrong with lines is told on
  // standard error, at most kMostFaults times; how many these are. Fails where the file cannot be
  // read.
  [[nodiscard]] Result<std::size_t> Learn(NodeDirectory& directory);
  // Reads the samples of the series that the sink wants.
  [[nodiscard]] Result<void> ReadInto(SeriesSink& sink);

  static constexpr std::size_t kMostFaults = 20;

 private:
  // Samples of the series that `begin` wants go to the sink. Without one, faults are told and
  // counted.
  [[nodiscard]] Result<std::size_t> Read(const std::function<bool(const MetricSeries&)>& begin,
                                         SeriesSink* sink);

  std::string path_;
};

// Selectors that together match all series of a node that are read. `directory` has learned what
// there is.
[[nodiscard]] std::vector<std::string> NodeQueries(const std::string& node,
                                                   const NodeDirectory& directory);

// Reads samples from a Prometheus over HTTP, as they were scraped (a range selector in an instant
// query), so that Prometheus fills in nothing. A query whose answer would be too large is split in
// halves.
class PrometheusSource {
 public:
  // How often the same is asked for before it is given up.
  static constexpr int kMostTries = 5;

  // Waits before the same is asked for again.
  using Wait = std::function<void(Duration)>;

  // `request` must outlive this.
  PrometheusSource(const ImportRequest& request, Wait wait)
      : request_(request), wait_(std::move(wait)) {}

  // Which series tell of nodes.
  [[nodiscard]] Result<void> Learn(NodeDirectory& directory);
  // The samples of a node. The sink leaves out one that comes again: Prometheus 2 counts the first
  // moment of a range in.
  [[nodiscard]] Result<void> ReadInto(const std::string& node, const NodeDirectory& directory,
                                      SeriesSink& sink);

  // What Prometheus said beside its answers since this was asked for last: that a part of them is
  // missing, as where a store of Thanos is away.
  [[nodiscard]] std::set<std::string> TakeWarnings() { return std::exchange(warnings_, {}); }

 private:
  [[nodiscard]] Result<std::string> Ask(const std::string& path, const std::string& form);
  // The samples of a query behind `from`, up to `to`.
  [[nodiscard]] Result<void> ReadPiece(const std::string& query, Instant from, Instant to,
                                       SeriesSink& sink);

  const ImportRequest& request_;
  const Wait wait_;
  std::set<std::string> warnings_;
};

}  // namespace jettison
