#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "core/units/duration.h"
#include "core/units/result.h"
#include "http/client/client.h"
#include "sim/imported/convert.h"

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
  std::string step;
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

}  // namespace jettison
