#include "cli/ask/ask_agent.h"

#include <fmt/format.h>

#include <vector>

#include "cli/terminal/output.h"
#include "codec/documents/json.h"
#include "core/model/fault.h"
#include "core/text/parts.h"
#include "core/text/printable.h"
#include "core/units/duration.h"
#include "core/units/http_url.h"
#include "http/endpoint.h"
#include "kernel/files/files.h"

namespace jettison {
namespace {

constexpr int kOk = 200;
constexpr std::size_t kMostSaid = 4096;
constexpr std::string_view kTokenFile = "token file";

ErrorCode CodeOf(int status) {
  if (status == 404) return ErrorCode::kNotFound;
  if (status == 401 || status == 403) return ErrorCode::kPermissionDenied;
  if (status == 503) return ErrorCode::kUnavailable;
  return status >= 400 && status < 500 ? ErrorCode::kInvalidArgument : ErrorCode::kInternal;
}

// What the agent says is wrong: the message of its Status, or the bare answer where it is none.
std::string ComplaintOf(const HttpResponse& response) {
  const auto status = ParseJson(response.body);
  const Value* message = status ? status->Find("message") : nullptr;
  const bool is_status = message != nullptr && message->AsString() != nullptr;
  const std::string said = is_status
                               ? *message->AsString()
                               : fmt::format("the agent answers {}: {}", response.status,
                                             response.body.substr(0, response.body.find('\n')));
  return Printable(Shortened(said, kMostSaid));
}

// The token that an agent on this machine made itself, where there is one and it may be read. What
// cannot be read is not missed: the agent then says what it needs.
std::string OwnTokenFor(const AskOptions& options) {
  const auto endpoint = http::ParseEndpoint(options.server);
  if (!endpoint || endpoint->kind == http::Endpoint::Kind::kUnix) return "";
  std::vector<std::string> addresses = {endpoint->Authority()};
  if (endpoint->host == "localhost") {
    addresses = {"127.0.0.1:" + endpoint->port, "[::1]:" + endpoint->port};
  } else if (const auto address = ParseTcpAddress(addresses[0]);
             !address || !address->is_loopback) {
    return "";
  }
  for (const std::string& address : addresses) {
    const std::string file = http::OwnTokenFile(address, options.own_token_folder);
    if (auto token = SecretIn(file, kTokenFile)) return *std::move(token);
  }
  return "";
}

constexpr std::size_t kLongestSecret = std::size_t{64} << 10;

}  // namespace

void AddAskOptions(CLI::App& command, AskOptions& options) {
  constexpr const char* kGroup = "Reaching the agent";
  command
      .add_option("--server", options.server,
                  "the address of the agent: unix://PATH, http://HOST:PORT or https://HOST:PORT")
      ->envname("JETTISON_SERVER")
      ->capture_default_str()
      ->group(kGroup);
  command.add_option("--token-file", options.token_file, "a file with the bearer token to send")
      ->type_name("FILE")
      ->envname("JETTISON_TOKEN_FILE")
      ->group(kGroup);
  AddPeerOptions(command, kGroup, "the agent's certificate", options.ca_file, options.cert_file,
                 options.key_file);
  command.add_option("--timeout", options.timeout_seconds, "seconds to wait for the answer")
      ->check(CLI::Range(1, 3600))
      ->capture_default_str()
      ->group(kGroup);
}

void AddPeerOptions(CLI::App& command, const std::string& group, const std::string& whose,
                    std::string& ca_file, std::string& cert_file, std::string& key_file) {
  const auto add = [&](const char* name, std::string& file, const std::string& what) {
    return command.add_option(name, file, what)->type_name("FILE")->group(group);
  };
  add("--ca-file", ca_file, "PEM file with the CAs that may sign " + whose + " (https)");
  CLI::Option* cert = add("--cert-file", cert_file, "PEM file with a client certificate (https)");
  CLI::Option* key =
      add("--key-file", key_file, "PEM file with the private key of that certificate");
  cert->needs(key);
  key->needs(cert);
}

Result<HttpTarget> TargetOf(const AskOptions& options) {
  HttpTarget target{.endpoint = options.server,
                    .timeout = std::chrono::seconds(options.timeout_seconds),
                    .server_ca_file = options.ca_file,
                    .cert_file = options.cert_file,
                    .private_key_file = options.key_file};
  if (options.token_file.empty()) {
    target.bearer_token = OwnTokenFor(options);
    return target;
  }
  auto token = SecretIn(options.token_file, kTokenFile);
  if (!token) return Fail(token.error());
  target.bearer_token = *std::move(token);
  return target;
}

Result<std::string> AskAgent(const AskOptions& options, const std::string& path,
                             std::string_view type) {
  const auto target = TargetOf(options);
  if (!target) return Fail(target.error());
  auto response = HttpGet(*target, path);
  if (!response) return Fail(response.error());
  if (auto answered = CheckAnswer(*response); !answered) return Fail(answered.error());
  if (!response->content_type.starts_with(type)) {
    return Fail(
        ErrorCode::kInternal,
        fmt::format("{} does not answer as an agent does: the answer is of the type \"{}\", "
                    "but must be {}",
                    options.server, response->content_type, type));
  }
  return std::move(response->body);
}

int PrintAnswerOf(const AskOptions& options, const std::string& path, std::string_view output) {
  const bool is_json = output == "json";
  const auto answer = AskAgent(options, path, is_json ? kJsonType : kTextType);
  if (!answer) return Report(answer.error());
  return is_json ? PrintData(*answer) : PrintText(*answer);
}

Result<void> CheckAnswer(const HttpResponse& answer) {
  if (answer.status == kOk) return {};
  return Fail(CodeOf(answer.status), ComplaintOf(answer));
}

Result<std::string> SecretIn(const std::string& path, std::string_view what) {
  auto text = kernel::ReadInput(path, kLongestSecret);
  if (!text) return Fail(text.error().In(fmt::format("{} {}", what, path)));
  const std::string_view secret = Trimmed(*text);
  if (!secret.empty()) return std::string(secret);
  return Fail(ErrorCode::kInvalidArgument, fmt::format("{} {} is empty", what, path));
}

Result<Instant> TimeNamed(std::string_view option, const std::string& text, Instant now) {
  if (text == "now") return now;
  if (const auto at = ParseInstant(text)) return *at;
  if (const auto day = ParseInstant(text + "T00:00:00Z")) return *day;
  const auto ago = ParseDuration(text);
  if (ago && *ago >= Duration{0}) return now - *ago;
  return Fail(ErrorCode::kInvalidArgument,
              fmt::format("{}: {}: must be a time such as 2026-01-31T12:00:00Z, a day such as "
                          "2026-01-31, a duration before now such as 2h, or now, and lie between "
                          "the years 1678 and 2261",
                          option, text));
}

}  // namespace jettison
