#include "http/client/client.h"

#include <curl/curl.h>
#include <fmt/format.h>

#include <cerrno>
#include <memory>
#include <optional>
#include <system_error>
#include <utility>

#include "http/client/transfers.h"
#include "http/endpoint.h"
#include "http/tls_files.h"

namespace jettison {
namespace {

// Why nobody was reached, and what may be done where it should be an agent.
Error Unreachable(const HttpTarget& target, int errno_value) {
  const std::string& endpoint = target.endpoint;
  const std::string why = std::generic_category().message(errno_value);
  if (!target.is_agent) {
    return {ErrorCode::kUnavailable, fmt::format("nobody answers at {}: {}", endpoint, why)};
  }
  if (errno_value == EACCES || errno_value == EPERM) {
    return {
        ErrorCode::kPermissionDenied,
        fmt::format("{}: {}; ask as root, or as a member of the socket's group", endpoint, why)};
  }
  if (errno_value == ENOENT || errno_value == ECONNREFUSED) {
    return {ErrorCode::kUnavailable,
            fmt::format("no agent answers at {}: {}; is it running (jettison run), and is this "
                        "where its configuration has it listen (http)?",
                        endpoint, why)};
  }
  return {ErrorCode::kUnavailable, fmt::format("no agent answers at {}: {}", endpoint, why)};
}

Result<HttpPeer> PeerOf(const HttpTarget& target) {
  HttpPeer peer{.endpoint = target.endpoint, .basic_credentials = target.basic_credentials};
  const auto endpoint = http::ParseEndpoint(target.endpoint);
  const bool is_tls = endpoint && endpoint->kind == http::Endpoint::Kind::kHttps;
  if (target.cert_file.empty() && !(is_tls && !target.server_ca_file.empty())) return peer;
  // libcurl would not say what is wrong with the files.
  auto files = http::ReadTlsFiles(target.cert_file, target.private_key_file, target.server_ca_file);
  if (!files) return Fail(files.error());
  peer.cert_pem = std::move(files->certificate);
  peer.key_pem = std::move(files->private_key);
  peer.ca_pem = std::move(files->client_ca);
  return peer;
}

Result<HttpResponse> Ask(const HttpTarget& target, HttpExchange exchange) {
  const auto peer = PeerOf(target);
  if (!peer) return Fail(peer.error());
  const auto transfers = HttpTransfers::Open(*peer);
  if (!transfers) return Fail(transfers.error());
  exchange.accept = "";
  exchange.bearer_token = target.bearer_token;
  exchange.most_bytes = target.max_response_bytes;
  exchange.timeout = target.timeout;
  std::optional<Result<HttpAnswer>> answer;
  bool goes_on = true;
  const auto take = [&](std::string_view piece) {
    if (goes_on && !piece.empty()) goes_on = target.take_body(piece);
  };
  (*transfers)
      ->Start(
          exchange, [&](Result<HttpAnswer> ended) { answer = std::move(ended); },
          target.take_body ? HttpTransfers::OnBytes(take) : HttpTransfers::OnBytes());
  while (!answer && goes_on) (*transfers)->Turn(target.timeout);
  if (!goes_on) return Fail(ErrorCode::kInternal, "the answer was not taken");
  if (const int why = (*transfers)->connect_errno(); why != 0)
    return Fail(Unreachable(target, why));
  if (!*answer) return Fail(answer->error().In(target.endpoint));
  HttpAnswer& got = **answer;
  if (got.is_too_large) {
    return Fail(Error{ErrorCode::kInternal,
                      fmt::format("the answer has more than {} bytes", target.max_response_bytes)}
                    .In(target.endpoint));
  }
  HttpResponse response{.status = got.status,
                        .content_type = std::move(got.content_type),
                        .body = std::move(got.body)};
  if (!got.location.empty()) response.headers.emplace_back("Location", std::move(got.location));
  return response;
}

}  // namespace

Result<HttpResponse> HttpGet(const HttpTarget& target, const std::string& path) {
  return Ask(target, {.path = path});
}

Result<HttpResponse> HttpPost(const HttpTarget& target, const std::string& path,
                              const std::string& body, const std::string& content_type) {
  return Ask(target, {.method = "POST", .path = path, .content_type = content_type, .body = body});
}

std::string EncodedForUrl(std::string_view text) {
  // A length of 0 would mean that of the text up to a NUL.
  if (text.empty()) return "";
  const std::unique_ptr<char, decltype(&::curl_free)> encoded(
      ::curl_easy_escape(nullptr, text.data(), static_cast<int>(text.size())), &::curl_free);
  return encoded ? encoded.get() : "";
}

}  // namespace jettison
