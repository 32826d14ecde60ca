#include "http/server/exchange.h"

#include <fmt/format.h>
#include <strings.h>

#include <charconv>
#include <cstdint>
#include <utility>

#include "http/server/header_of.h"

namespace jettison::http {
namespace {

std::string TextOf(MHD_Connection* handle, const char* name) {
  return std::string(HeaderOf(handle, name).value_or(""));
}

std::size_t HeadBytes(MHD_Connection* handle) {
  const MHD_ConnectionInfo* info =
      MHD_get_connection_info(handle, MHD_CONNECTION_INFO_REQUEST_HEADER_SIZE);
  return info == nullptr ? 0 : info->header_size;
}

std::optional<Refusal> RefusalOfTarget(const Exchange& exchange, const HttpLimits& limits) {
  if (exchange.target.size() > limits.target_bytes) {
    return Refusal{414, fmt::format("path and query may have {} bytes, not {}", limits.target_bytes,
                                    exchange.target.size())};
  }
  if (!exchange.target.starts_with('/')) {
    return Refusal{400, "the target of a request must be a path that begins with \"/\""};
  }
  if (exchange.target.find("%00") != std::string::npos) {
    return Refusal{400, "path and query must not contain a NUL character"};
  }
  return std::nullopt;
}

std::optional<Refusal> RefusalOfBody(const Head& head, const HttpLimits& limits) {
  if (HeaderOf(head.handle, "Content-Encoding").value_or("identity") != "identity") {
    return Refusal{415, "a body must not be compressed"};
  }
  if (HeaderOf(head.handle, "Transfer-Encoding")) {
    return Refusal{411, "the length of a body must be given in Content-Length"};
  }
  const auto length = HeaderOf(head.handle, "Content-Length");
  if (!length) {
    if (head.method != "POST") return std::nullopt;
    return Refusal{411, "POST needs a Content-Length"};
  }
  std::uint64_t bytes = 0;
  const auto [stop, error] =
      std::from_chars(length->data(), length->data() + length->size(), bytes);
  if (error == std::errc::invalid_argument || stop != length->data() + length->size()) {
    return Refusal{400, "Content-Length must be a whole number"};
  }
  if (error == std::errc{} && bytes <= limits.body_bytes) return std::nullopt;
  return Refusal{413, fmt::format("a body may have {} bytes, not {}", limits.body_bytes, *length)};
}

MHD_Result AddArgument(void* query, MHD_ValueKind /*kind*/, const char* name, const char* value) {
  auto* arguments = static_cast<decltype(HttpRequest::query)*>(query);
  arguments->emplace(name, value == nullptr ? "" : value);
  return MHD_YES;
}

}  // namespace

std::optional<Refusal> RefusalOf(const Head& head, const Exchange& exchange,
                                 const HttpLimits& limits) {
  if (auto refusal = RefusalOfTarget(exchange, limits)) return refusal;
  if (const std::size_t bytes = HeadBytes(head.handle); bytes > limits.header_bytes) {
    return Refusal{431, fmt::format("request line and headers may have {} bytes, not {}",
                                    limits.header_bytes, bytes)};
  }
  if (head.version != "HTTP/1.0" && !HeaderOf(head.handle, "Host")) {
    return Refusal{400, "a request of HTTP/1.1 needs a Host"};
  }
  if (const auto origin = HeaderOf(head.handle, "Origin");
      origin && IsForeign(*origin, HeaderOf(head.handle, "Host").value_or(""))) {
    return Refusal{
        403, "requests from pages of another origin are not allowed: Origin must name this Host"};
  }
  if (head.method != "GET" && head.method != "HEAD" && head.method != "POST") {
    return Refusal{405, "the method must be GET, HEAD or POST", {"Allow", "GET, HEAD, POST"}};
  }
  return RefusalOfBody(head, limits);
}

std::size_t BodyBytes(const Head& head) {
  const std::string_view length = HeaderOf(head.handle, "Content-Length").value_or("0");
  std::size_t bytes = 0;
  std::from_chars(length.data(), length.data() + length.size(), bytes);
  return bytes;
}

bool IsForeign(std::string_view origin, std::string_view host) {
  for (const std::string_view scheme : {"http://", "https://"}) {
    if (!origin.starts_with(scheme)) continue;
    const std::string_view named = origin.substr(scheme.size());
    return named.size() != host.size() ||
           ::strncasecmp(named.data(), host.data(), host.size()) != 0;
  }
  return true;  // "null", or a page of something else
}

HttpRequest RequestOf(const Head& head, std::string body, const Connection& connection) {
  HttpRequest request;
  request.method = head.method == "HEAD" ? "GET" : head.method;
  request.path = head.path;
  request.accept = TextOf(head.handle, "Accept");
  request.content_type = TextOf(head.handle, "Content-Type");
  request.last_event_id = TextOf(head.handle, "Last-Event-ID");
  request.body = std::move(body);
  request.peer = connection.peer;
  MHD_get_connection_values(head.handle, MHD_GET_ARGUMENT_KIND, &AddArgument, &request.query);
  return request;
}

}  // namespace jettison::http
