#include "rpc/endpoint.h"

#include <fmt/format.h>
#include <sys/un.h>

namespace jettison::cri {
namespace {

constexpr std::string_view kScheme = "unix://";
constexpr std::size_t kLongestPath = sizeof(sockaddr_un::sun_path) - 1;

bool IsUnreserved(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
         std::string_view("-._~/").find(c) != std::string_view::npos;
}

}  // namespace

Result<std::string> SocketOf(std::string_view endpoint) {
  const std::string_view path =
      endpoint.starts_with(kScheme) ? endpoint.substr(kScheme.size()) : std::string_view();
  if (!path.starts_with('/') || path.ends_with('/') || path.find('\0') != path.npos) {
    return Fail(ErrorCode::kInvalidArgument,
                fmt::format("containerRuntimeEndpoint \"{}\": only the absolute path of a unix "
                            "socket is supported, as in unix:///run/containerd/containerd.sock",
                            endpoint));
  }
  if (path.size() > kLongestPath) {
    return Fail(ErrorCode::kInvalidArgument,
                fmt::format("containerRuntimeEndpoint \"{}\": the path has {} bytes, a socket's "
                            "at most {}",
                            endpoint, path.size(), kLongestPath));
  }
  return std::string(path);
}

std::string TargetOf(std::string_view socket) {
  std::string target(kScheme);
  for (const char c : socket) {
    if (IsUnreserved(c)) {
      target += c;
    } else {
      target += fmt::format("%{:02X}", static_cast<unsigned char>(c));
    }
  }
  return target;
}

}  // namespace jettison::cri
