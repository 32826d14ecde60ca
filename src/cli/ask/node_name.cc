#include "cli/ask/node_name.h"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>

namespace jettison {
namespace {

std::string HostName() {
  std::string name(256, '\0');
  if (gethostname(name.data(), name.size() - 1) != 0) return "localhost";
  name.resize(name.find('\0'));
  return name;
}

// As the kubelet names its node. (kubelet 1.36: nodeutil.GetHostname)
std::string Lowered(std::string name) {
  std::ranges::transform(name, name.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  });
  return name;
}

}  // namespace

std::string NodeNameOf(const AgentConfig& config) {
  if (!config.node_name.empty()) return config.node_name;
  if (config.source != SourceKind::kKubernetes) return HostName();
  const char* const told = std::getenv("NODE_NAME");
  return told != nullptr && *told != '\0' ? std::string(told) : Lowered(HostName());
}

}  // namespace jettison
