#pragma once

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <string>
#include <string_view>

#include "codec/documents/form_reader.h"
#include "codec/documents/json.h"
#include "core/units/duration.h"
#include "core/units/result.h"
#include "http/client/client.h"
#include "http/endpoint.h"

namespace jettison {

// How a command reaches the agent.
struct AskOptions {
  std::string server = "unix:///run/jettison/jettison.sock";
  // Empty: the token that an agent on this machine made itself (http::OwnTokenFile) is sent where
  // that can be read, else none.
  std::string token_file;
  std::string own_token_folder{http::kOwnTokenFolder};  // where agents put them
  std::string ca_file;                                  // PEM; empty: those that the system trusts
  std::string cert_file;                                // PEM; empty: no client certificate
  std::string key_file;
  int timeout_seconds = 5;
};

// Adds --server (or JETTISON_SERVER), --token-file (or JETTISON_TOKEN_FILE), --ca-file,
// --cert-file, --key-file and --timeout to a command, in a group of their own. `options` must
// outlive the parsing.
void AddAskOptions(CLI::App& command, AskOptions& options);

// Adds --ca-file, --cert-file and --key-file to a group of options. `whose`: "the agent's
// certificate".
void AddPeerOptions(CLI::App& command, const std::string& group, const std::string& whose,
                    std::string& ca_file, std::string& cert_file, std::string& key_file);

// The server to ask. A token is read on each call, so that a change of its file takes effect at
// once. Fails where the file cannot be read.
[[nodiscard]] Result<HttpTarget> TargetOf(const AskOptions& options);

// The body of the agent's answer to a GET of `path`, which begins with "/" and has its query with
// it. An answer other than 200 is an error: its message is that of the Kubernetes Status in it,
// kNotFound for 404, kInvalidArgument for other 4xx, kPermissionDenied for 401 and 403. So is one
// of another type than `type`, because then no agent has answered.
inline constexpr std::string_view kJsonType = "application/json";
inline constexpr std::string_view kTextType = "text/plain";
[[nodiscard]] Result<std::string> AskAgent(const AskOptions& options, const std::string& path,
                                           std::string_view type = kJsonType);
// The value that an agent has answered in JSON. Members that an older or newer agent does not send
// are absent, but without `member` it is no such answer. `what` it is, for errors: "overview".
template <typename T>
[[nodiscard]] Result<T> ReadAnswer(std::string_view json, std::string_view what,
                                   std::string_view member) {
  const auto document = ParseJson(json);
  if (!document) {
    return Fail(ErrorCode::kInternal,
                fmt::format("the agent's {}: {}", what, document.error().message));
  }
  if (document->Find(member) == nullptr || document->Find("at") == nullptr) {
    return Fail(ErrorCode::kInternal, fmt::format("the agent's {} has no {}", what, member));
  }
  FormReader fields(*document);
  T value;
  VisitFields(fields, value);
  return value;
}
// Prints the answer to such a GET with `output=text` or `output=json`; returns the exit status.
[[nodiscard]] int PrintAnswerOf(const AskOptions& options, const std::string& path,
                                std::string_view output);

// An answer other than 200 as an error, as AskAgent has it.
[[nodiscard]] Result<void> CheckAnswer(const HttpResponse& answer);

// A token or a password, which stands alone in its file; blanks around it are not of it. `what` is
// what the file is, for errors: "token file". Fails where the file cannot be read or is empty.
[[nodiscard]] Result<std::string> SecretIn(const std::string& path, std::string_view what);

// The time that an option names: an instant (2026-01-31T12:00:00Z), a day (2026-01-31, its
// beginning in UTC), `now`, or how long before `now` (2h). kInvalidArgument: none of these.
[[nodiscard]] Result<Instant> TimeNamed(std::string_view option, const std::string& text,
                                        Instant now);

}  // namespace jettison
