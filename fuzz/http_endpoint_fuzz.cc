// links: jettison_http
//
// Where a server is said to be: what is taken for an address is one that can be written again.

#include "fuzz/fuzz.h"
#include "http/endpoint.h"

void Fuzz(std::string_view text) {
  using jettison::http::Endpoint;
  using jettison::http::ParseEndpoint;
  const auto endpoint = ParseEndpoint(text);
  if (!endpoint || endpoint->kind == Endpoint::Kind::kUnix) return;
  const auto again = ParseEndpoint("http://" + endpoint->Authority());
  if (!again || again->host != endpoint->host || again->port != endpoint->port) std::abort();
}
