// links: jettison_http
//
// Where a server is said to be: what is taken for an address is one that can be written again.

#include <cstddef>
#include <cstdint>
#include <cstdlib>

#include "http/endpoint.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using jettison::http::Endpoint;
  using jettison::http::ParseEndpoint;
  const auto endpoint = ParseEndpoint({reinterpret_cast<const char*>(data), size});
  if (!endpoint || endpoint->kind == Endpoint::Kind::kUnix) return 0;
  const auto again = ParseEndpoint("http://" + endpoint->Authority());
  if (!again || again->host != endpoint->host || again->port != endpoint->port) std::abort();
  return 0;
}
