#include <fmt/format.h>

#include <array>
#include <optional>
#include <string_view>
#include <utility>

#include "cli/ask/ask_agent.h"
#include "cli/ask/config_files.h"
#include "cli/import/import.h"
#include "cli/terminal/output.h"
#include "core/model/fault.h"
#include "core/text/number.h"
#include "core/units/duration.h"
#include "core/units/http_url.h"

namespace jettison {
namespace {

// A dump holds a few samples of before and behind, which lines are drawn to.
constexpr Instant kLongAgo{};

bool IsUrl(std::string_view source) {
  return source.starts_with("http://") || source.starts_with("https://");
}

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

void ReadCredentials(const ImportCommand& command, const HttpUrl& url, HttpTarget& target,
                     FaultLines& faults) {
  if (!command.token_file.empty()) {
    target.bearer_token = faults.Take(SecretIn(command.token_file, "--token-file")).value_or("");
  }
  if (!command.basic_auth_file.empty()) {
    target.basic_credentials =
        faults.Take(SecretIn(command.basic_auth_file, "--basic-auth-file")).value_or("");
    if (target.basic_credentials.find(':') == std::string::npos) {
      faults.Add(
          fmt::format("--basic-auth-file: {} must contain user:password", command.basic_auth_file));
    }
  }
  const bool secret = !target.bearer_token.empty() || !target.basic_credentials.empty();
  if (secret && url.origin.starts_with("http://") && !IsOnThisMachine(url.origin)) {
    faults.Add(
        "credentials are sent only over https or to this machine: over http, others on the network "
        "could read them");
  }
}

void ReadTarget(const ImportCommand& command, ImportRequest& request, FaultLines& faults) {
  const auto url = faults.Take(ParseHttpUrl(command.source));
  if (!url) return;
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
  target.timeout = std::chrono::seconds(command.timeout_seconds);
  target.max_response_bytes = std::size_t{256} << 20;
  target.server_ca_file = command.ca_file;
  target.cert_file = command.cert_file;
  target.private_key_file = command.key_file;
  request.path_prefix = url->target;
  while (request.path_prefix.ends_with('/')) request.path_prefix.pop_back();
  ReadCredentials(command, *url, target, faults);
}

void ReadTimes(const ImportCommand& command, Instant now, ImportRequest& request,
               FaultLines& faults) {
  ImportOptions& options = request.options;
  const auto to = faults.Take(TimeNamed("--to", command.to, now));
  options.to = to.value_or(now);
  options.from = kLongAgo;
  if (!command.from.empty()) {
    const auto from = faults.Take(TimeNamed("--from", command.from, now));
    options.from = from.value_or(kLongAgo);
  } else if (request.over_http) {
    faults.Add(
        "--from: is required with a URL: give a day such as 2026-01-31, or a duration before now "
        "such as 168h");
  }
  if (to && options.from >= *to) faults.Add("--from must be before --to");
}

void ReadPods(const ImportCommand& command, ImportRequest& request, FaultLines& faults) {
  for (const std::string& text : command.priority_classes) {
    const auto pair = PairOf(text);
    const auto value = pair ? ParseNumber<std::int32_t>(pair->second) : std::nullopt;
    if (value) {
      request.options.pods.priority_classes[pair->first] = *value;
    } else {
      faults.Add(
          fmt::format("--priority-class: {}: must be NAME=VALUE, where VALUE is an integer of 32 "
                      "bits (high=1000)",
                      text));
    }
  }
  for (const std::string& text : command.instances) {
    const auto pair = PairOf(text);
    if (pair) {
      request.instances[pair->second] = pair->first;
    } else {
      faults.Add(fmt::format("--instance: {}: must be NODE=HOST:PORT (a=10.0.0.7:9100)", text));
    }
  }
  request.options.pods.profile = ProfileNamed(command.profile);
}

void ReadPolicy(const ImportCommand& command, ImportRequest& request, FaultLines& faults) {
  const ConfigReading reading = ReadConfigFiles({.files = command.config_files});
  ConfigWarnings().Tell(reading.warnings);
  for (const Fault& fault : reading.faults) faults.Add(Describe(fault));
  if (reading.unread) faults.SetUnread();
  request.options.policy = reading.config.eviction;
}

}  // namespace

Result<ImportRequest> ReadImportRequest(const ImportCommand& command, Instant now) {
  ImportRequest request{.over_http = IsUrl(command.source)};
  FaultLines faults;
  request.nodes.insert(command.nodes.begin(), command.nodes.end());
  request.out = command.out;
  request.inputs = command.config_files;
  for (const std::string& file : {command.source, command.token_file, command.basic_auth_file,
                                  command.ca_file, command.cert_file, command.key_file}) {
    request.inputs.push_back(file);
  }
  request.options.paths = command.paths;
  request.options.source = command.source;
  if (request.over_http) {
    ReadTarget(command, request, faults);
    if (request.nodes.empty()) faults.Add("--node: is required with a URL");
  } else {
    request.file = command.source;
    if (command.source == "-") faults.Add("a dump is read twice, so it must be a file");
    if (command.source.find("://") != std::string::npos) {
      faults.Add(fmt::format("{}: must be http://HOST, https://HOST or a file", command.source));
    }
  }
  ReadTimes(command, now, request, faults);
  ReadPods(command, request, faults);
  ReadPolicy(command, request, faults);
  if (!faults.empty()) return Fail(faults.AsError());
  return request;
}

}  // namespace jettison
