// links: jettison_kube_credentials
//
// Any text, read as a kubeconfig and as an address: what is accepted names a server that
// can be asked, and an address is one that can be written again.

#include "fuzz/fuzz.h"
#include "http/endpoint.h"
#include "sources/kubernetes/credentials/api_access.h"

void Fuzz(std::string_view text) {
  using namespace jettison;
  const auto config = kube::ReadKubeconfig(text, "/etc/kubeconfig");
  if (config.faults.empty()) {
    Require(http::ParseEndpoint(config.access.server).has_value());
    Require(config.certificate.is_given() == config.key.is_given());
  }
  const auto endpoint = http::ParseEndpoint(text);
  if (!endpoint || endpoint->kind == http::Endpoint::Kind::kUnix) return;
  const auto again = http::ParseEndpoint("http://" + endpoint->Authority());
  Require(again && again->host == endpoint->host && again->port == endpoint->port);
}
