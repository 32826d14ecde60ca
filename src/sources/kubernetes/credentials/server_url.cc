#include "sources/kubernetes/credentials/server_url.h"

#include <algorithm>

#include "http/endpoint.h"

namespace jettison::kube {
namespace {

constexpr std::string_view kScheme = "://";

bool IsPath(std::string_view text) {
  return std::ranges::all_of(text, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           std::string_view("/-._~%:").find(c) != std::string_view::npos;
  });
}

bool IsLoopback(const std::string& host) {
  return host == "localhost" || host == "::1" || host.starts_with("127.");
}

}  // namespace

Result<ServerUrl> ReadServerUrl(std::string_view text) {
  const std::size_t scheme = text.find(kScheme);
  const std::size_t slash =
      scheme == std::string_view::npos ? scheme : text.find('/', scheme + kScheme.size());
  ServerUrl url{.endpoint = std::string(text.substr(0, slash)), .path_prefix = {}};
  if (slash != std::string_view::npos) url.path_prefix = text.substr(slash);
  while (url.path_prefix.ends_with('/')) url.path_prefix.pop_back();
  const auto endpoint = http::ParseEndpoint(url.endpoint);
  if (!endpoint || endpoint->kind == http::Endpoint::Kind::kUnix || !IsPath(url.path_prefix)) {
    return Fail(ErrorCode::kInvalidArgument, "must be a URL such as https://10.0.0.1:6443");
  }
  if (endpoint->kind == http::Endpoint::Kind::kHttp && !IsLoopback(endpoint->host)) {
    return Fail(ErrorCode::kInvalidArgument, "must be https:// for a server on another machine");
  }
  return url;
}

}  // namespace jettison::kube
