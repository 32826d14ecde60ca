#pragma once

#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "cli/terminal/output.h"
#include "codec/prometheus/prometheus.h"
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

// As the command line says it, and what is made of that.
struct ImportRequest {
  std::string form = "prometheus";
  std::set<std::string> nodes;
  std::string from;
  std::string to = "now";
  std::string out = ".";
  std::vector<std::string> config_files;
  std::string profile = "auto";
  std::vector<std::string> priority_classes;  // NAME=VALUE
  std::vector<std::string> instances;         // NODE=HOST:PORT
  std::string token_file;
  std::string basic_auth_file;  // "user:password"
  HttpTarget target;            // the Prometheus
  int timeout_seconds = 120;
  ImportOptions options;  // their source is its URL

  // These are made of the others.
  std::string path_prefix;                                    // of the API
  std::multimap<std::string, std::string> instances_of = {};  // by node: "HOST:PORT"
};

// Reads and checks what the command line says; what the author of a configuration may have meant
// differently is told on standard error.
[[nodiscard]] ImportRequest ReadImportRequest(ImportRequest request, Instant now,
                                              CommandFaults& faults);

// Where the recording of a node is written: `out` itself, or in it where it is a folder or is to
// hold several. Characters that have no place in the name of a file become "%2F" and
// the like.
[[nodiscard]] std::string RecordingPath(const std::string& out, const std::string& node,
                                        bool several);

// How often the same is asked for before it is given up.
inline constexpr int kMostTries = 5;

// The series of a node as they were scraped (a range selector in an instant query), so that
// Prometheus fills in nothing. A query whose answer would be too large is split in halves. `wait`
// waits before the same is asked for again.
[[nodiscard]] Result<PrometheusAnswer> ReadNode(const ImportRequest& request,
                                                const std::string& node,
                                                const std::function<void(Duration)>& wait);

}  // namespace jettison
