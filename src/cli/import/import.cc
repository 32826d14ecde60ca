#include "cli/import/import.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "cli/ask/ask_agent.h"
#include "cli/ask/config_files.h"
#include "cli/terminal/options.h"
#include "cli/terminal/output.h"
#include "codec/flight/recording_writer.h"
#include "core/model/fault.h"
#include "core/text/number.h"
#include "core/units/http_url.h"
#include "kernel/files/whole_file.h"

namespace jettison {
namespace {

namespace fs = std::filesystem;

// "NAME=VALUE"; nothing where one of the two is missing.
std::optional<std::pair<std::string, std::string>> PairOf(const std::string& text) {
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos || equals == 0 || equals + 1 == text.size()) return std::nullopt;
  return std::pair(text.substr(0, equals), text.substr(equals + 1));
}

bool IsOnThisMachine(std::string_view origin) {
  const std::string_view authority = origin.substr(origin.find("//") + 2);
  if (authority.starts_with("localhost:") || authority == "localhost") return true;
  const auto address = ParseTcpAddress(authority);
  return (address && address->is_loopback) || authority == "127.0.0.1";
}

void ReadCredentials(ImportRequest& request, const HttpUrl& url, CommandFaults& faults) {
  HttpTarget& target = request.target;
  if (!request.token_file.empty()) {
    target.bearer_token = faults.Take(SecretIn(request.token_file, "--token-file"));
  }
  if (!request.basic_auth_file.empty()) {
    target.basic_credentials = faults.Take(SecretIn(request.basic_auth_file, "--basic-auth-file"));
    if (target.basic_credentials.find(':') == std::string::npos) {
      faults.Add(
          fmt::format("--basic-auth-file: {} must contain user:password", request.basic_auth_file));
    }
  }
  const bool secret = !target.bearer_token.empty() || !target.basic_credentials.empty();
  if (secret && url.origin.starts_with("http://") && !IsOnThisMachine(url.origin)) {
    faults.Add(
        "credentials are sent only over https or to this machine: over http, others on the network "
        "could read them");
  }
}

void ReadTarget(ImportRequest& request, CommandFaults& faults) {
  const auto url = ParseHttpUrl(request.options.source);
  if (!url) return faults.Add("SOURCE " + url.error().message + "; no file of a dump is read");
  if (!url->credentials.empty()) {
    faults.Add(
        "the URL must not contain a password; use --basic-auth-file to name a file with "
        "user:password");
  }
  if (url->target.find('?') != std::string::npos) {
    faults.Add("the URL must not contain a query (?...), because it is not sent; leave it out");
  }
  HttpTarget& target = request.target;
  target.endpoint = url->origin;
  target.is_agent = false;
  target.timeout = std::chrono::seconds(request.timeout_seconds);
  target.max_response_bytes = std::size_t{256} << 20;
  request.path_prefix = url->target;
  while (request.path_prefix.ends_with('/')) request.path_prefix.pop_back();
  ReadCredentials(request, *url, faults);
}

void ReadPods(ImportRequest& request, CommandFaults& faults) {
  for (const std::string& text : request.priority_classes) {
    const auto pair = PairOf(text);
    const auto value = pair ? ParseNumber<std::int32_t>(pair->second) : std::nullopt;
    if (value) {
      request.options.priority_classes[pair->first] = *value;
    } else {
      faults.Add(
          fmt::format("--priority-class: {}: must be NAME=VALUE, where VALUE is an integer of 32 "
                      "bits (high=1000)",
                      text));
    }
  }
  for (const std::string& text : request.instances) {
    if (const auto pair = PairOf(text)) {
      request.instances_of.insert(*pair);
    } else {
      faults.Add(fmt::format("--instance: {}: must be NODE=HOST:PORT (a=10.0.0.7:9100)", text));
    }
  }
  request.options.profile = EnumeratorNamed<Profile>(request.profile);
}

void ReadPolicy(ImportRequest& request, CommandFaults& faults) {
  const ConfigReading reading = ReadConfigFiles({.files = request.config_files});
  Tell(reading, faults);
  request.options.policy = reading.config.eviction;
}

// Makes and writes the recording of one node. The exit status: 1 where standard output cannot be
// written.
Result<int> ImportOne(const ImportRequest& request, const std::string& node) {
  const std::string path = RecordingPath(request.out, node, request.nodes.size() > 1);
  std::vector<std::string> inputs = request.config_files;
  for (const auto* file :
       {&request.token_file, &request.basic_auth_file, &request.target.server_ca_file,
        &request.target.cert_file, &request.target.private_key_file}) {
    inputs.push_back(*file);
  }
  const std::string lost = WhyDataWouldBeLost({{"--out", path}}, inputs);
  if (!lost.empty()) return Fail(ErrorCode::kInvalidArgument, lost);
  auto data = ReadNode(request, node, [](Duration wait) { std::this_thread::sleep_for(wait); });
  if (!data) return Fail(data.error());
  if (data->series.empty()) {
    const std::set<std::string> warnings(data->warnings.begin(), data->warnings.end());
    for (const std::string& warning : warnings) {
      PrintError("jettison: Prometheus warns: {}\n", warning);
    }
    return Fail(ErrorCode::kNotFound, fmt::format("{}: there are no series of this node in {}",
                                                  node, request.options.source));
  }
  std::error_code ignored;
  if (const fs::path folder = fs::path(path).parent_path(); !folder.empty()) {
    fs::create_directories(folder, ignored);
  }
  WholeFile file(path);
  if (file.fault()) return Fail(file.fault()->In(node));
  RecordingWriter writer([&](std::string_view chunk) -> Result<void> {
    if (!file.Add(chunk)) return Fail(*file.fault());
    return {};
  });
  const auto summary = ImportNode(node, *std::move(data), request.options, writer);
  if (!summary) return Fail(summary.error().In(node));
  if (auto placed = file.PutInPlace(); !placed) return Fail(placed.error().In(node));
  const int printed = PrintText(
      fmt::format("{}: {} bytes, {} passes of {}, {} pods, {} evictions, {} OOM kills, {} gaps\n",
                  path, file.size(), summary->passes, node, summary->pods, summary->evictions,
                  summary->oom_kills, summary->gaps));
  for (const std::string& note : summary->notes) PrintError("{}: {}\n", node, note);
  return printed;
}

// The nodes one after the other; what is wrong with one costs no other.
int RunImport(const ImportRequest& command) {
  CommandFaults faults;
  const ImportRequest request =
      ReadImportRequest(command, Instant(std::chrono::system_clock::now()), faults);
  if (faults.status() != 0) return faults.status();
  int status = 0;
  for (const std::string& node : request.nodes) {
    const auto imported = ImportOne(request, node);
    status = std::max(status, imported ? *imported : Report(imported.error()));
    // Who does not answer for one node does not for the next one.
    if (!imported && (imported.error().code == ErrorCode::kUnavailable ||
                      imported.error().code == ErrorCode::kDeadlineExceeded ||
                      imported.error().code == ErrorCode::kPermissionDenied)) {
      break;
    }
  }
  return status;
}

constexpr const char* kFooter =
    "SOURCE is the URL of a Prometheus server. The command makes a recording of each node, which\n"
    "`show`, `simulate` and `recommend` read. The recording says which series are missing and "
    "what\n"
    "that costs, and what was assumed. The command says the same on standard error.\n"
    "\n"
    "A folder with the data of a server is served by\n"
    "  prometheus --storage.tsdb.path=DATA --storage.tsdb.retention.time=100y "
    "--config.file=/dev/null\n"
    "\n"
    "Example:\n"
    "  jettison import prometheus https://prometheus.example --token-file token --node a --node b "
    "\\\n"
    "      --from 2026-01-24 --to 2026-01-31 --config kubelet.yaml --out recordings/\n"
    "\n"
    "Exit status: 0 done, 1 Prometheus could not be asked, a node has no series, or a file cannot\n"
    "be read or written, 2 an answer is invalid, or wrong usage.";

}  // namespace

std::string RecordingPath(const std::string& out, const std::string& node, bool several) {
  std::error_code ignored;
  if (!several && !out.ends_with('/') && !fs::is_directory(out, ignored)) return out;
  return (fs::path(out) / (EncodedForUrl(node) + ".jtr")).string();
}

ImportRequest ReadImportRequest(ImportRequest request, Instant now, CommandFaults& faults) {
  ReadTarget(request, faults);
  const auto from = TimeNamed("--from", request.from, now);
  const auto to = TimeNamed("--to", request.to, now);
  if (from && to && *from >= *to) faults.Add("--from must be before --to");
  request.options.from = faults.Take(from);
  request.options.to = faults.Take(to);
  ReadPods(request, faults);
  ReadPolicy(request, faults);
  return request;
}

void AddImport(CLI::App& app, int& exit_code) {
  const auto [added, request] =
      AddCommand(app, exit_code, "import", "Make recordings from the data of a Prometheus server",
                 kFooter, RunImport);
  CLI::App& command = added;
  const auto add = [&](const char* name, auto& value, const char* type, const char* help) {
    return command.add_option(name, value, help)->type_name(type)->capture_default_str();
  };
  const auto add_many = [&](const char* name, auto& values, const char* type, const char* help) {
    return command.add_option(name, values, help)->type_name(type)->allow_extra_args(false);
  };
  command.add_option("FORM", request.form, "the format of the source: prometheus")
      ->check(CLI::IsMember({"prometheus"}))
      ->required();
  command.add_option("SOURCE", request.options.source, "the URL of a Prometheus server")
      ->type_name("URL")
      ->required();
  add_many("--node", request.nodes, "NODE", "a node; repeat the option for several")->required();
  command
      .add_option("--from", request.from,
                  "start of the range: a time, a day or a duration before now (2026-01-31, 168h)")
      ->type_name("TIME")
      ->required();
  add("--to", request.to, "TIME", "end of the range: a time, a day or a duration before now");
  add("--out", request.out, "PATH",
      "write recordings to this folder, or the recording of one node to this file")
      ->check([](const std::string& path) -> std::string {
        return path == "-" ? "must not be -, because standard output says what was written" : "";
      });
  add_many("--config", request.config_files, "FILE",
           "the kubelet's configuration with the thresholds that were in force\n"
           "(default: the kubelet's own defaults)");
  command
      .add_option("--profile", request.profile,
                  "which pods are protected: kubelet, standalone, or auto (as the series suggest)")
      ->check(CLI::IsMember({"auto", "kubelet", "standalone"}))
      ->capture_default_str();
  add_many("--priority-class", request.priority_classes, "NAME=VALUE",
           "the value of a PriorityClass, which no series has: high=1000");
  add_many("--instance", request.instances, "NODE=HOST:PORT",
           "the scrape target of a node, if no series names it: a=10.0.0.7:9100");
  const auto absolute = [](const std::string& path) -> std::string {
    return path.starts_with('/') ? "" : "must be an absolute path of the node (/var/lib/kubelet)";
  };
  add("--nodefs", request.options.node_fs, "PATH", "a path on the file system nodefs")
      ->check(absolute);
  add("--imagefs", request.options.image_fs, "PATH", "a path on the file system imagefs")
      ->check(absolute);

  constexpr const char* kGroup = "Reaching Prometheus";
  CLI::Option* token =
      add("--token-file", request.token_file, "FILE", "a file with the bearer token to send")
          ->envname("JETTISON_PROMETHEUS_TOKEN_FILE")
          ->group(kGroup);
  add("--basic-auth-file", request.basic_auth_file, "FILE", "a file with user:password to send")
      ->envname("JETTISON_PROMETHEUS_BASIC_AUTH_FILE")
      ->group(kGroup)
      ->excludes(token);
  AddPeerOptions(command, kGroup, "the certificate of Prometheus", request.target.server_ca_file,
                 request.target.cert_file, request.target.private_key_file);
  command.add_option("--timeout", request.timeout_seconds, "seconds to wait for each answer")
      ->check(CLI::Range(1, 3600))
      ->capture_default_str()
      ->group(kGroup);
}

}  // namespace jettison
