#include <fmt/format.h>
#include <gnutls/gnutls.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <utility>

#include "codec/documents/documents.h"
#include "codec/kubernetes/field.h"
#include "http/endpoint.h"
#include "sources/kubernetes/credentials/api_access.h"

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

// What a text in base64 (RFC 4648, with padding; blanks and line breaks are passed over) stands
// for; absent where it is none.
std::optional<std::string> FromBase64(std::string_view text) {
  std::string from(text);
  const gnutls_datum_t datum = {.data = reinterpret_cast<unsigned char*>(from.data()),
                                .size = static_cast<unsigned>(from.size())};
  gnutls_datum_t bytes = {};
  if (gnutls_base64_decode2(&datum, &bytes) != 0) return std::nullopt;
  std::string to(reinterpret_cast<const char*>(bytes.data), bytes.size);
  gnutls_free(bytes.data);
  return to;
}

using kube_json::FaultLog;
using kube_json::Field;

// A kubeconfig of a large company has a few hundred clusters.
constexpr std::size_t kMostMemory = std::size_t{16} << 20;

class Reader {
 public:
  Reader(const Value& document, const std::string& file)
      : log_{.file = file},
        folder_(std::filesystem::path(file).parent_path()),
        root_(document, log_) {}

  Kubeconfig Read() {
    if (root_.IsMap()) ReadRoot();
    config_.faults = std::move(log_.faults);
    return std::move(config_);
  }

 private:
  void ReadRoot();
  void ReadContext(const Field& context);
  void ReadCluster(const Field& cluster);
  void ReadUser(const Field& user);
  void ReadServer(const Field& server);
  // The item of a list of {name, MEMBER} with this name; a fault of `from` if there is none.
  void WithNamed(const char* list, const char* member, const Field& from,
                 const std::function<void(const Field&)>& read);
  PemSource ReadPem(const Field& map, const char* name);
  std::string ReadPath(const Field& field);
  static void Refuse(const Field& map, const char* name, const char* why);

  FaultLog log_;
  std::filesystem::path folder_;
  Field root_;
  Kubeconfig config_;
};

void Reader::Refuse(const Field& map, const char* name, const char* why) {
  const Field field = map.Member(name);
  if (field.IsPresent()) field.Fault(why);
}

void Reader::WithNamed(const char* list, const char* member, const Field& from,
                       const std::function<void(const Field&)>& read) {
  const auto name = from.String();
  if (!name || name->empty()) {
    if (from.HoldsTextOrNothing()) from.Fault(fmt::format("must name one of {}", list));
    return;
  }
  bool found = false;
  std::string others;
  root_.Member(list).ForEachItem([&](const Field& item) {
    if (!item.IsMap()) return;
    const std::string other = item.Member("name").String().value_or("");
    others += fmt::format("{}{}", others.empty() ? "" : ", ", other);
    if (found || other != *name) return;
    found = true;
    const Field inner = item.Member(member);
    if (!inner.IsPresent()) return inner.Fault("is missing");
    if (inner.IsMap()) read(inner);
  });
  if (!found) {
    from.Fault(
        fmt::format("must be one of {} ({})", list, others.empty() ? "there are none" : others));
  }
}

void Reader::ReadRoot() {
  const Field kind = root_.Member("kind");
  if (kind.IsPresent() && kind.String() != "Config") kind.Fault("must be Config");
  const Field current = root_.Member("current-context");
  config_.context = current.String().value_or("");
  WithNamed("contexts", "context", current, [this](const Field& context) { ReadContext(context); });
}

void Reader::ReadContext(const Field& context) {
  WithNamed("clusters", "cluster", context.Member("cluster"),
            [this](const Field& cluster) { ReadCluster(cluster); });
  WithNamed("users", "user", context.Member("user"), [this](const Field& user) { ReadUser(user); });
}

// "https://HOST[:PORT][/PATH]". Without TLS only a server on this machine is asked, as credentials
// would go over the network for all to read.
void Reader::ReadServer(const Field& field) {
  const std::string text = field.String().value_or("");
  if (text.empty()) {
    if (field.HoldsTextOrNothing()) field.Fault("is missing; it is the API server's URL");
    return;
  }
  const std::size_t scheme = text.find(kScheme);
  const std::size_t path =
      scheme == std::string::npos ? scheme : text.find('/', scheme + kScheme.size());
  ApiAccess& access = config_.access;
  access.server = text.substr(0, path);
  if (path != std::string::npos) access.path_prefix = text.substr(path);
  while (access.path_prefix.ends_with('/')) access.path_prefix.pop_back();
  const auto endpoint = http::ParseEndpoint(access.server);
  if (!endpoint || endpoint->kind == http::Endpoint::Kind::kUnix || !IsPath(access.path_prefix)) {
    return field.Fault("must be a URL such as https://10.0.0.1:6443");
  }
  if (endpoint->kind == http::Endpoint::Kind::kHttp && !IsLoopback(endpoint->host)) {
    field.Fault("must be https:// for a server on another machine");
  }
}

void Reader::ReadCluster(const Field& cluster) {
  ReadServer(cluster.Member("server"));
  config_.access.server_name = cluster.Member("tls-server-name").String().value_or("");
  config_.ca = ReadPem(cluster, "certificate-authority");
  Refuse(cluster, "proxy-url", "proxies are not supported");
  const Field insecure = cluster.Member("insecure-skip-tls-verify");
  if (insecure.Bool().value_or(false)) {
    insecure.Fault("is not supported: name the certificate-authority instead");
  }
}

void Reader::ReadUser(const Field& user) {
  Refuse(user, "exec", "plugins are not supported: use tokenFile or a client certificate");
  Refuse(user, "auth-provider", "is not supported: use tokenFile or a client certificate");
  for (const char* name : {"username", "password"}) {
    Refuse(user, name, "passwords are not supported: use tokenFile or a client certificate");
  }
  for (const char* name : {"as", "as-uid", "as-groups", "as-user-extra"}) {
    Refuse(user, name, "impersonation is not supported");
  }
  config_.certificate = ReadPem(user, "client-certificate");
  config_.key = ReadPem(user, "client-key");
  config_.access.token = user.Member("token").String().value_or("");
  config_.access.token_file = ReadPath(user.Member("tokenFile"));
  if (config_.certificate.is_given() && !config_.key.is_given()) {
    user.Member("client-key").Fault("is missing: it belongs to client-certificate");
  }
  if (config_.key.is_given() && !config_.certificate.is_given()) {
    user.Member("client-certificate").Fault("is missing: it belongs to client-key");
  }
}

// As in kubectl, data takes precedence over a file.
PemSource Reader::ReadPem(const Field& map, const char* name) {
  const std::string data_name = fmt::format("{}-data", name);
  const Field data = map.Member(data_name);
  const std::string text = data.String().value_or("");
  if (text.empty()) return {.file = ReadPath(map.Member(name))};
  auto pem = FromBase64(text);
  if (pem && pem->find("-----BEGIN ") != std::string::npos) return {.text = *std::move(pem)};
  // Its value is not shown, because it may be a key.
  log_.faults.push_back({.file = log_.file,
                         .key = data.Path(),
                         .message = pem ? "must be PEM in base64" : "must be base64"});
  return {};
}

std::string Reader::ReadPath(const Field& field) {
  std::string path = field.String().value_or("");
  if (path.empty() || path.front() == '/') return path;
  return (folder_ / path).lexically_normal().string();
}

}  // namespace

Kubeconfig ReadKubeconfig(std::string_view text, const std::string& file) {
  const auto documents = ParseDocuments(text, kMostMemory);
  if (documents && documents->size() == 1) return Reader(documents->front(), file).Read();
  Kubeconfig config;
  AddFault(config.faults, {.file = file,
                           .message = !documents           ? documents.error().message
                                      : documents->empty() ? "is empty; it must be a kubeconfig"
                                                           : "must have one document"});
  return config;
}

}  // namespace jettison::kube
