#include "http/client/client.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/model/redaction.h"
#include "http/client/client_transfer.h"
#include "http/client/curl_library.h"
#include "http/endpoint.h"
#include "http/tls_files.h"

namespace jettison {
namespace {

bool HasBreak(std::string_view text) {
  return std::ranges::any_of(text, [](char c) { return (c >= 0 && c < ' ') || c == '\x7f'; });
}

Result<void> CanBeAsked(const HttpTarget& target, const http::Question& question) {
  const std::string& path = question.path;
  if (!path.starts_with('/') || HasBreak(path) || path.find(' ') != std::string::npos ||
      HasBreak(target.bearer_token)) {
    return Fail(ErrorCode::kInvalidArgument,
                fmt::format("{} is not a path that can be requested", RedactedUrl(path)));
  }
  if (HasBreak(question.content_type)) {
    return Fail(ErrorCode::kInvalidArgument, "a content type must be one line");
  }
  return {};
}

Result<HttpResponse> Ask(const HttpTarget& target, const http::Question& question) {
  if (auto fit = CanBeAsked(target, question); !fit) return Fail(fit.error());
  const auto endpoint = http::ParseEndpoint(target.endpoint);
  if (!endpoint) return Fail(endpoint.error());
  if (!target.cert_file.empty()) {
    // libcurl would not say what is wrong with them.
    const auto files =
        http::ReadTlsFiles(target.cert_file, target.private_key_file, target.server_ca_file);
    if (!files) return Fail(files.error());
  }
  const auto curl = http::LoadCurl();
  if (!curl) return Fail(curl.error());
  return http::Transfer(**curl, target, *endpoint).Perform(question);
}

}  // namespace

Result<void> PrepareHttpClient() {
  if (const auto curl = http::LoadCurl(); !curl) return Fail(curl.error());
  return {};
}

Result<HttpResponse> HttpGet(const HttpTarget& target, const std::string& path) {
  return Ask(target, {.path = path});
}

Result<HttpResponse> HttpPost(const HttpTarget& target, const std::string& path,
                              const std::string& body, const std::string& content_type) {
  return Ask(target, {.path = path, .body = &body, .content_type = content_type});
}

std::string EncodedForUrl(std::string_view text) {
  std::string encoded;
  for (const char c : text) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                       c == '-' || c == '.' || c == '_' || c == '~';
    if (plain) {
      encoded += c;
    } else {
      encoded += fmt::format("%{:02X}", static_cast<unsigned char>(c));
    }
  }
  return encoded;
}

}  // namespace jettison
