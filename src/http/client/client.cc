#include "http/client/client.h"

#include <fmt/format.h>
#include <poll.h>

#include <algorithm>
#include <cerrno>
#include <system_error>
#include <utility>

#include "core/model/redaction.h"
#include "http/client/curl_request.h"
#include "http/endpoint.h"
#include "http/tls_files.h"

namespace jettison {
namespace {

using http::CurlHandle;
using http::CurlRequest;
using http::Endpoint;
using std::chrono::steady_clock;

// The body of an answer as it comes.
struct Body {
  const HttpTarget& target;
  const CurlHandle& handle;
  std::string text{};
  bool is_too_large = false;
};

std::size_t TakeBody(char* bytes, std::size_t one, std::size_t count, void* self) {
  Body& body = *static_cast<Body*>(self);
  const std::size_t size = one * count;
  if (body.target.take_body && body.handle.Status() == 200) {
    return body.target.take_body({bytes, size}) ? size : CURL_WRITEFUNC_ERROR;
  }
  if (size > body.target.max_response_bytes - body.text.size()) {
    body.is_too_large = true;
    return CURL_WRITEFUNC_ERROR;
  }
  body.text.append(bytes, size);
  return size;
}

// Too many wait at a unix socket already; unlike on TCP the kernel does not tell when there is room
// (unix(7)), and libcurl takes what it says for a connection that is being made.
bool IsQueueFull(const Endpoint& endpoint, const CurlHandle& handle, CURLcode code) {
  if (endpoint.kind != Endpoint::Kind::kUnix || code != CURLE_COULDNT_CONNECT) return false;
  const int why = handle.ConnectErrno();
  return why == 0 || why == EAGAIN;
}

CURLcode PerformInTime(const HttpTarget& target, const Endpoint& endpoint, CurlHandle& handle) {
  const auto deadline = steady_clock::now() + target.timeout;
  for (;;) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - steady_clock::now());
    // 0 is no limit for libcurl.
    handle.Set(CURLOPT_TIMEOUT_MS, static_cast<long>(std::max<std::int64_t>(left.count(), 1)));
    const CURLcode code = ::curl_easy_perform(handle.get());
    if (!IsQueueFull(endpoint, handle, code) || steady_clock::now() >= deadline) return code;
    ::poll(nullptr, 0, 10);
  }
}

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

Error FailureOf(const HttpTarget& target, const CurlHandle& handle, const Body& body,
                CURLcode code) {
  if (code == CURLE_COULDNT_CONNECT) {
    const int why = handle.ConnectErrno();
    return Unreachable(target, why == 0 ? EAGAIN : why);
  }
  if (!body.is_too_large) return handle.FailureOf(code).In(target.endpoint);
  return Error{ErrorCode::kInternal,
               fmt::format("the answer has more than {} bytes", target.max_response_bytes)}
      .In(target.endpoint);
}

HttpResponse AnswerOf(const CurlHandle& handle, std::string body) {
  const char* type = nullptr;
  const char* elsewhere = nullptr;
  ::curl_easy_getinfo(handle.get(), CURLINFO_CONTENT_TYPE, &type);
  ::curl_easy_getinfo(handle.get(), CURLINFO_REDIRECT_URL, &elsewhere);
  HttpResponse answer{.status = handle.Status(),
                      .content_type = type == nullptr ? "" : type,
                      .body = std::move(body)};
  if (elsewhere != nullptr) answer.headers.emplace_back("Location", elsewhere);
  return answer;
}

CurlRequest RequestOf(const HttpTarget& target, const Endpoint& endpoint, const std::string& path) {
  const bool is_tls = endpoint.kind == Endpoint::Kind::kHttps;
  CurlRequest request{
      .url = fmt::format("{}://{}{}", is_tls ? "https" : "http", endpoint.Authority(), path),
      .unix_socket = endpoint.path,
      .ca_file = target.server_ca_file,
      .cert_file = target.cert_file,
      .key_file = target.private_key_file,
      .headers = {"Connection: close", "Accept:"}};  // none of libcurl's own
  if (!target.bearer_token.empty()) {
    request.headers.push_back("Authorization: Bearer " + target.bearer_token);
  } else {
    request.basic_credentials = target.basic_credentials;
  }
  return request;
}

// `body`: null for a GET, else a POST of that type.
Result<HttpResponse> Ask(const HttpTarget& target, const std::string& path,
                         const std::string* posted, const std::string& content_type) {
  if (auto fit = http::CanBeSent(path, {target.bearer_token, content_type}); !fit) {
    return Fail(fit.error().In(RedactedUrl(path)));
  }
  const auto endpoint = http::ParseEndpoint(target.endpoint);
  if (!endpoint) return Fail(endpoint.error());
  if (!target.cert_file.empty()) {
    // libcurl would not say what is wrong with them.
    const auto files =
        http::ReadTlsFiles(target.cert_file, target.private_key_file, target.server_ca_file);
    if (!files) return Fail(files.error());
  }
  CurlRequest request = RequestOf(target, *endpoint, path);
  if (posted != nullptr) {
    request.method = "POST";
    request.body = posted;
    request.headers.push_back("Content-Type: " + content_type);
  }
  CurlHandle handle;
  Body body{.target = target, .handle = handle};
  if (auto ready = handle.Prepare(request); !ready) {
    return Fail(ready.error().In(target.endpoint));
  }
  handle.Set(CURLOPT_WRITEFUNCTION, &TakeBody);
  handle.Set(CURLOPT_WRITEDATA, static_cast<void*>(&body));
  const CURLcode code = PerformInTime(target, *endpoint, handle);
  if (code != CURLE_OK) return Fail(FailureOf(target, handle, body, code));
  return AnswerOf(handle, std::move(body.text));
}

}  // namespace

Result<HttpResponse> HttpGet(const HttpTarget& target, const std::string& path) {
  return Ask(target, path, nullptr, "");
}

Result<HttpResponse> HttpPost(const HttpTarget& target, const std::string& path,
                              const std::string& body, const std::string& content_type) {
  return Ask(target, path, &body, content_type);
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
