#pragma once

#include <string>
#include <string_view>

#include "core/units/result.h"

namespace jettison::kube {

// Where an API server is.
struct ServerUrl {
  std::string endpoint;     // "https://10.0.0.1:6443"
  std::string path_prefix;  // "/k8s/clusters/c-1"; empty as a rule
};

// Takes a URL apart: "https://HOST[:PORT][/PATH]". Without TLS only a server on this machine is
// asked, as credentials would go over the network for all to read.
[[nodiscard]] Result<ServerUrl> ReadServerUrl(std::string_view text);

}  // namespace jettison::kube
