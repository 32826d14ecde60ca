#include "sources/kubernetes/credentials/api_access.h"

#include <fmt/format.h>

#include <cstdlib>
#include <optional>
#include <string_view>
#include <utility>

#include "http/endpoint.h"
#include "http/tls_files.h"
#include "sources/kubernetes/credentials/token_source.h"

namespace jettison::kube {
namespace {

// A file of at most 1 MiB; a fault under `key` of `file` if it cannot be read.
std::string Read(const std::string& path, const std::string& file, const char* key,
                 Faults& faults) {
  auto text = http::ReadPemFile(path);
  if (text) return *std::move(text);
  AddFault(faults, {.file = file, .key = key, .value = path, .message = text.error().message});
  return {};
}

std::string Read(const PemSource& source, const std::string& file, const char* key,
                 Faults& faults) {
  return source.file.empty() ? source.text : Read(source.file, file, key, faults);
}

// The usual name of a text of this kind.
std::string Named(const PemSource& source, const char* key) {
  return source.file.empty() ? fmt::format("{}-data", key) : source.file;
}

std::string NameOfCa(const PemSource& source, const std::string& file) {
  if (!source.file.empty()) return source.file;
  if (source.text.empty()) return "the authorities that this machine trusts";
  return fmt::format("certificate-authority-data of {}", file);
}

void CheckTls(const ApiAccess& access, const Kubeconfig& config, const std::string& file,
              Faults& faults) {
  const bool has_pair = !access.cert_pem.empty();
  const auto fault = http::FaultOfTls(
      {.certificate = access.cert_pem, .private_key = access.key_pem, .client_ca = access.ca_pem},
      has_pair ? Named(config.certificate, "client-certificate") : "",
      Named(config.key, "client-key"),
      access.ca_pem.empty() ? "" : Named(config.ca, "certificate-authority"));
  if (fault) AddFault(faults, {.file = file, .key = {}, .value = {}, .message = fault->message});
}

std::string TokenIn(const std::string& path, const std::string& file, const char* key,
                    Faults& faults) {
  auto token = ReadToken(path);
  if (token) return *std::move(token);
  AddFault(faults, {.file = file, .key = key, .value = path, .message = token.error().message});
  return {};
}

std::string Environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

}  // namespace

AccessReading AccessByKubeconfig(const std::string& path) {
  AccessReading reading;
  const std::string text = Read(path, path, "", reading.faults);
  if (!reading.faults.empty()) return reading;
  KubeconfigReading parsed = ReadKubeconfig(text, path);
  const Kubeconfig& config = parsed.config;
  reading.faults = std::move(parsed.faults);
  Faults& faults = reading.faults;
  reading.access = {.origin = fmt::format("kubeconfig {}, context {}", path, config.context),
                    .server = config.server,
                    .path_prefix = config.path_prefix,
                    .server_name = config.server_name,
                    .namespace_ = config.namespace_,
                    .ca_pem = Read(config.ca, path, "certificate-authority", faults),
                    .ca_name = NameOfCa(config.ca, path),
                    .cert_pem = Read(config.certificate, path, "client-certificate", faults),
                    .key_pem = Read(config.key, path, "client-key", faults),
                    .token = config.token,
                    .token_file = config.token_file};
  if (!config.token_file.empty()) {
    reading.access.token = TokenIn(config.token_file, path, "tokenFile", faults);
  }
  if (faults.empty()) CheckTls(reading.access, config, path, faults);
  return reading;
}

ServiceAccount OwnServiceAccount() {
  ServiceAccount account;
  account.host = Environment("KUBERNETES_SERVICE_HOST");
  account.port = Environment("KUBERNETES_SERVICE_PORT");
  return account;
}

AccessReading AccessByServiceAccount(const ServiceAccount& account) {
  AccessReading reading;
  Faults& faults = reading.faults;
  if (account.host.empty() || account.port.empty()) {
    // One cause, and one fault: its files are missing as well then.
    AddFault(faults,
             {.file = {},
              .key = account.host.empty() ? "KUBERNETES_SERVICE_HOST" : "KUBERNETES_SERVICE_PORT",
              .value = {},
              .message = "is not set: the agent does not run in a pod of a cluster; set "
                         "kubernetes.kubeconfig"});
    return reading;
  }
  const std::string ca_file = account.folder + "/ca.crt";
  const http::Endpoint endpoint{
      .kind = http::Endpoint::Kind::kHttps, .path = {}, .host = account.host, .port = account.port};
  reading.access = {.origin = "service account",
                    .server = "https://" + endpoint.Authority(),
                    .path_prefix = {},
                    .server_name = {},
                    .namespace_ = {},
                    .ca_pem = Read(ca_file, ca_file, "", faults),
                    .ca_name = ca_file,
                    .cert_pem = {},
                    .key_pem = {},
                    .token = {},
                    .token_file = account.folder + "/token"};
  if (auto name = http::ReadPemFile(account.folder + "/namespace")) {
    reading.access.namespace_ = TrimmedLine(*name);
  }
  const std::string& token_file = reading.access.token_file;
  reading.access.token = TokenIn(token_file, token_file, "", faults);
  if (faults.empty()) {
    CheckTls(reading.access, {.ca = {.text = {}, .file = ca_file}}, ca_file, faults);
  }
  return reading;
}

}  // namespace jettison::kube
