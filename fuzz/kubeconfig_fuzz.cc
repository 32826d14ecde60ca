// links: jettison_kube_credentials
//
// Any text, read as a kubeconfig: what is accepted names a server that can be asked, and no fault
// shows what may be a key.

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "http/endpoint.h"
#include "sources/kubernetes/credentials/kubeconfig.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace jettison;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto reading = kube::ReadKubeconfig(text, "/etc/kubeconfig");
  if (reading.faults.empty() && !http::ParseEndpoint(reading.config.server)) std::abort();
  if (reading.config.certificate.is_given() != reading.config.key.is_given() &&
      reading.faults.empty()) {
    std::abort();
  }
  return 0;
}
