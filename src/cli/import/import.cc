#include "cli/import/import.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <filesystem>
#include <set>
#include <string>
#include <string_view>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "cli/ask/ask_agent.h"
#include "cli/terminal/options.h"
#include "cli/terminal/output.h"
#include "codec/flight/recording_writer.h"
#include "core/text/number.h"
#include "kernel/files/whole_file.h"

namespace jettison {
namespace {

namespace fs = std::filesystem;

// No two nodes have the same.
std::string FileNameOf(const std::string& node) {
  std::string name;
  for (const char c : node) {
    const bool plain = IsDigit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '-' ||
                       c == '_' || (c == '.' && !name.empty());
    name += plain ? std::string(1, c) : fmt::format("%{:02X}", static_cast<unsigned char>(c));
  }
  return name + ".jtr";
}

void Complain(const std::string& fault) {
  PrintError("jettison: {}\n", fault);
}

// The nodes of an import, one after the other; what is wrong with one costs no other.
class ImportRun {
 public:
  explicit ImportRun(const ImportRequest& request) : request_(request) {
    for (const auto& [instance, node] : request_.instances) directory_.Name(instance, node);
  }

  int Run() {
    request_.over_http ? RunOverHttp() : RunOverText();
    return status_;
  }

 private:
  void Fault(const Error& error) {
    Complain(error.message);
    status_ = std::max(status_, ExitStatusOf(error));
  }

  [[nodiscard]] ImportRange Range() const {
    return {.from = request_.options.from - kStaleness, .to = request_.options.to + kStaleness};
  }

  void RunOverText() {
    TextSource source(request_.file);
    const auto faults = source.Learn(directory_);
    if (!faults) return Fault(faults.error());
    if (*faults > 0) status_ = kExitInvalidInput;
    ImportSamples samples(directory_, request_.nodes, Range());
    if (const auto read = source.ReadInto(samples); !read) return Fault(read.error());
    std::set<std::string> nodes = request_.nodes;
    for (const auto& [node, series] : samples.nodes()) nodes.insert(node);
    if (nodes.empty()) {
      return Fault({ErrorCode::kInvalidArgument,
                    request_.file + ": no series names a node; use --instance NODE=HOST:PORT to "
                                    "name the scrape target of a node"});
    }
    ImportOptions options = request_.options;
    if (*faults > 0) {
      options.source += fmt::format(", of which {} lines could not be read", *faults);
    }
    for (const std::string& node : nodes) {
      Write(node, samples.nodes()[node], options, nodes.size() > 1);
    }
  }

  void RunOverHttp() {
    PrometheusSource source(request_, [](Duration wait) { std::this_thread::sleep_for(wait); });
    if (const auto learned = source.Learn(directory_); !learned) return Fault(learned.error());
    // Series that were not found may be of any node.
    const std::set<std::string> of_all = source.TakeWarnings();
    for (const std::string& node : request_.nodes) {
      ImportSamples samples(directory_, {node}, Range());
      const auto read = source.ReadInto(node, directory_, samples);
      ImportOptions options = request_.options;
      options.warnings = source.TakeWarnings();
      options.warnings.insert(of_all.begin(), of_all.end());
      if (read) {
        Write(node, samples.nodes()[node], options, request_.nodes.size() > 1);
      } else {
        Fault(read.error());
      }
    }
  }

  void Write(const std::string& node, const NodeSeries& series, const ImportOptions& options,
             bool several) {
    if (series.empty()) {
      for (const std::string& warning : options.warnings) Complain("Prometheus warns: " + warning);
      return Fault({ErrorCode::kNotFound, fmt::format("{}: there are no series of this node in {}",
                                                      node, request_.options.source)});
    }
    const std::string path = RecordingPath(request_.out, node, several);
    const std::string lost = WhyDataWouldBeLost({{"--out", path}}, request_.inputs);
    if (!lost.empty()) return Fault({ErrorCode::kInvalidArgument, lost});
    const auto written = WriteNode(path, node, series, options);
    if (!written) return Fault(written.error().In(node));
    const ImportSummary& summary = written->summary;
    const int printed = PrintText(
        fmt::format("{}: {} bytes, {} passes of {}, {} pods, {} evictions, {} OOM kills, {} gaps\n",
                    written->path, written->bytes, summary.passes, node, summary.pods,
                    summary.evictions, summary.oom_kills, summary.gaps));
    status_ = std::max(status_, printed);
    for (const std::string& note : summary.notes) PrintError("{}: {}\n", node, note);
  }

  const ImportRequest& request_;
  NodeDirectory directory_;
  int status_ = 0;
};

int RunImport(const ImportCommand& command) {
  const auto request = ReadImportRequest(command, Instant(std::chrono::system_clock::now()));
  if (!request) {
    Complain(request.error().message);
    return ExitStatusOf(request.error());
  }
  return ImportRun(*request).Run();
}

constexpr const char* kFooter =
    "SOURCE is the URL of a Prometheus server, or a file that `promtool tsdb dump-openmetrics` or\n"
    "`promtool tsdb dump` has written. The command makes a recording of each node, which `show`,\n"
    "`simulate` and `recommend` read. The recording says which series are missing and what that\n"
    "costs, and what was assumed. The command says the same on standard error.\n"
    "\n"
    "Examples:\n"
    "  jettison import prometheus https://prometheus.example --token-file token --node a --node b "
    "\\\n"
    "      --from 2026-01-24 --to 2026-01-31 --config kubelet.yaml --out recordings/\n"
    "  promtool tsdb dump data/ > dump.txt; jettison import prometheus dump.txt --out recordings/\n"
    "\n"
    "Exit status: 0 done, 1 Prometheus could not be asked, a node has no series, or a file cannot\n"
    "be read or written, 2 a line or an answer is invalid, or wrong usage.";

void AddReachOptions(CLI::App& command, ImportCommand& options) {
  constexpr const char* kGroup = "Reaching Prometheus";
  CLI::Option* token =
      command
          .add_option("--token-file", options.token_file, "a file with the bearer token to send")
          ->type_name("FILE")
          ->envname("JETTISON_PROMETHEUS_TOKEN_FILE")
          ->group(kGroup);
  command
      .add_option("--basic-auth-file", options.basic_auth_file, "a file with user:password to send")
      ->type_name("FILE")
      ->envname("JETTISON_PROMETHEUS_BASIC_AUTH_FILE")
      ->group(kGroup)
      ->excludes(token);
  AddPeerOptions(command, kGroup, "the certificate of Prometheus", options.ca_file,
                 options.cert_file, options.key_file);
  command.add_option("--timeout", options.timeout_seconds, "seconds to wait for each answer")
      ->check(CLI::Range(1, 3600))
      ->capture_default_str()
      ->group(kGroup);
}

}  // namespace

std::string RecordingPath(const std::string& out, const std::string& node, bool several) {
  std::error_code ignored;
  if (!several && !out.ends_with('/') && !fs::is_directory(out, ignored)) return out;
  return (fs::path(out) / FileNameOf(node)).string();
}

Result<WrittenNode> WriteNode(const std::string& path, const std::string& node,
                              const NodeSeries& series, const ImportOptions& options) {
  std::error_code ignored;
  if (const fs::path folder = fs::path(path).parent_path(); !folder.empty()) {
    fs::create_directories(folder, ignored);
  }
  WholeFile file(path);
  if (file.fault()) return Fail(*file.fault());
  RecordingWriter writer([&](std::string_view chunk) -> Result<void> {
    if (!file.Add(chunk)) return Fail(*file.fault());
    return {};
  });
  auto summary = ImportNode(node, series, options, writer);
  if (!summary) return Fail(summary.error());
  if (auto placed = file.PutInPlace(); !placed) return Fail(placed.error());
  return WrittenNode{.path = path, .bytes = file.size(), .summary = *std::move(summary)};
}

void AddImport(CLI::App& app, int& exit_code) {
  const auto [command, options] =
      AddCommand(app, exit_code, "import", "Make recordings from the data of a Prometheus server",
                 kFooter, RunImport);
  command.add_option("FORM", options.form, "the format of the source: prometheus")
      ->check(CLI::IsMember({"prometheus"}))
      ->required();
  command
      .add_option("SOURCE", options.source,
                  "the URL of a Prometheus server, or a file with a dump of its data")
      ->type_name("FILE")
      ->required();
  command
      .add_option("--node", options.nodes,
                  "a node; repeat the option for several (default: all nodes of a dump)")
      ->allow_extra_args(false);
  command
      .add_option("--from", options.from,
                  "start of the range: a time, a day or a duration before now (2026-01-31, 168h)")
      ->type_name("TIME");
  command
      .add_option("--to", options.to, "end of the range: a time, a day or a duration before now")
      ->type_name("TIME")
      ->capture_default_str();
  command
      .add_option("--out", options.out,
                  "write recordings to this folder, or the recording of one node to this file")
      ->check([](const std::string& path) -> std::string {
        return path == "-" ? "must not be -, because standard output says what was written" : "";
      })
      ->type_name("PATH")
      ->capture_default_str();
  command
      .add_option("--config", options.config_files,
                  "the kubelet's configuration with the thresholds that were in force\n"
                  "(default: the kubelet's own defaults)")
      ->type_name("FILE")
      ->allow_extra_args(false);
  command
      .add_option("--profile", options.profile,
                  "which pods are protected: kubelet, standalone, or auto (as the series suggest)")
      ->check(CLI::IsMember({"auto", "kubelet", "standalone"}))
      ->capture_default_str();
  command
      .add_option("--priority-class", options.priority_classes,
                  "the value of a PriorityClass, which no series has: high=1000")
      ->type_name("NAME=VALUE")
      ->allow_extra_args(false);
  command
      .add_option("--instance", options.instances,
                  "the scrape target of a node, if no series names it: a=10.0.0.7:9100")
      ->type_name("NODE=HOST:PORT")
      ->allow_extra_args(false);
  const auto absolute = [](const std::string& path) -> std::string {
    return path.starts_with('/') ? "" : "must be an absolute path of the node (/var/lib/kubelet)";
  };
  command.add_option("--nodefs", options.paths.node_fs, "a path on the file system nodefs")
      ->check(absolute)
      ->type_name("PATH")
      ->capture_default_str();
  command.add_option("--imagefs", options.paths.image_fs, "a path on the file system imagefs")
      ->check(absolute)
      ->type_name("PATH")
      ->capture_default_str();
  AddReachOptions(command, options);
}

}  // namespace jettison
