#include "http/endpoint.h"

#include <fmt/format.h>

#include <cstddef>
#include <cstdint>

#include "core/model/redaction.h"
#include "core/text/number.h"
#include "core/units/http_url.h"

namespace jettison::http {
namespace {

constexpr std::size_t kLongestSocketPath = 107;  // sockaddr_un, with the NUL at its end

tl::unexpected<Error> Refused(std::string_view text) {
  return Fail(ErrorCode::kInvalidArgument,
              fmt::format("{} is not the address of a server; write unix:///path/to/socket, "
                          "http://host:port or https://host:port",
                          text.empty() ? "an empty text" : RedactedUrl(text)));
}

}  // namespace

std::string Endpoint::Authority() const {
  if (kind == Kind::kUnix) return "localhost";
  return fmt::format(fmt::runtime(host.find(':') == std::string::npos ? "{}:{}" : "[{}]:{}"), host,
                     port);
}

Result<Endpoint> ParseEndpoint(std::string_view text) {
  constexpr std::string_view kUnix = "unix://";
  Endpoint endpoint;
  if (text.starts_with(kUnix)) {
    endpoint.path = text.substr(kUnix.size());
    if (!endpoint.path.starts_with('/')) return Refused(text);
    if (endpoint.path.size() > kLongestSocketPath) {
      return Fail(ErrorCode::kInvalidArgument,
                  fmt::format("{}: the path of a socket must not be longer than {} bytes", text,
                              kLongestSocketPath));
    }
    return endpoint;
  }
  const bool is_tls = text.starts_with("https://");
  const auto url = ParseHttpUrl(text);
  if (!url || !url->credentials.empty() || url->target != "/") return Refused(text);
  if (ParseNumber<std::uint16_t>(url->port).value_or(0) == 0) return Refused(text);
  return Endpoint{.kind = is_tls ? Endpoint::Kind::kHttps : Endpoint::Kind::kHttp,
                  .host = url->host,
                  .port = url->port};
}

std::string OwnTokenFile(std::string_view address, std::string_view folder) {
  return fmt::format("{}/http-{}.token", folder, address);
}

}  // namespace jettison::http
