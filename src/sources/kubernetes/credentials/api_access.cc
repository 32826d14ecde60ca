#include "sources/kubernetes/credentials/api_access.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <string_view>
#include <utility>

#include "core/text/parts.h"
#include "http/endpoint.h"
#include "http/tls_files.h"

namespace jettison::kube {
namespace {

// What was read of the file `path`; a fault under `key` of `file` if it could not be.
std::string OrFault(Result<std::string> text, const std::string& path, const std::string& file,
                    const char* key, Faults& faults) {
  if (text) return *std::move(text);
  AddFault(faults, {.file = file, .key = key, .value = path, .message = text.error().message});
  return {};
}

std::string Read(const PemSource& source, const std::string& file, const char* key,
                 Faults& faults) {
  if (source.file.empty()) return source.text;
  return OrFault(http::ReadSmallFile(source.file), source.file, file, key, faults);
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
  if (fault) AddFault(faults, {.file = file, .message = fault->message});
}

std::string Environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

}  // namespace

Result<std::string> ReadToken(const std::string& path) {
  const auto text = http::ReadSmallFile(path);
  if (!text) return Fail(text.error());
  std::string token(Trimmed(*text));
  const bool is_line = std::ranges::all_of(token, [](char c) { return c > ' ' && c < '\x7f'; });
  if (!token.empty() && is_line) return token;
  return Fail(ErrorCode::kInvalidArgument, "must hold a token, which is one word");
}

AccessReading AccessByKubeconfig(const std::string& path) {
  AccessReading reading;
  const std::string text = OrFault(http::ReadSmallFile(path), path, path, "", reading.faults);
  if (!reading.faults.empty()) return reading;
  Kubeconfig config = ReadKubeconfig(text, path);
  Faults& faults = reading.faults = std::move(config.faults);
  ApiAccess& access = reading.access = std::move(config.access);
  access.origin = fmt::format("kubeconfig {}, context {}", path, config.context);
  access.ca_pem = Read(config.ca, path, "certificate-authority", faults);
  access.ca_name = NameOfCa(config.ca, path);
  access.cert_pem = Read(config.certificate, path, "client-certificate", faults);
  access.key_pem = Read(config.key, path, "client-key", faults);
  if (const std::string& file = access.token_file; !file.empty()) {
    access.token = OrFault(ReadToken(file), file, path, "tokenFile", faults);
  }
  if (faults.empty()) CheckTls(access, config, path, faults);
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
             {.key = account.host.empty() ? "KUBERNETES_SERVICE_HOST" : "KUBERNETES_SERVICE_PORT",
              .message = "is not set: the agent does not run in a pod of a cluster; set "
                         "kubernetes.kubeconfig"});
    return reading;
  }
  const std::string ca_file = account.folder + "/ca.crt";
  const http::Endpoint endpoint{
      .kind = http::Endpoint::Kind::kHttps, .host = account.host, .port = account.port};
  reading.access = {.origin = "service account",
                    .server = "https://" + endpoint.Authority(),
                    .ca_pem = OrFault(http::ReadSmallFile(ca_file), ca_file, ca_file, "", faults),
                    .ca_name = ca_file,
                    .token_file = account.folder + "/token"};
  const std::string& token_file = reading.access.token_file;
  reading.access.token = OrFault(ReadToken(token_file), token_file, token_file, "", faults);
  if (faults.empty()) {
    CheckTls(reading.access, {.ca = {.file = ca_file}}, ca_file, faults);
  }
  return reading;
}

AccessSource::AccessSource(ApiAccess access, Read read, Instant now, Elsewhere elsewhere)
    : access_(std::move(access)), read_(std::move(read)), reading_(std::move(elsewhere)) {
  const bool lacks_token = access_.token.empty() && !access_.token_file.empty();
  if (!lacks_token) read_at_ = now;
}

bool AccessSource::IsDue(Instant now) const {
  if (!read_ && access_.token_file.empty()) return false;
  return !read_at_ || now < *read_at_ ||
         Elapsed(*read_at_, now) >= (is_doubted_ ? kReadAfterFailure : kReadEvery);
}

bool AccessSource::HasOtherCertificates(const ApiAccess& read) const {
  const bool is_same_server = read.server == access_.server &&
                              read.path_prefix == access_.path_prefix &&
                              read.server_name == access_.server_name;
  const bool is_same_tls = read.ca_pem == access_.ca_pem && read.cert_pem == access_.cert_pem &&
                           read.key_pem == access_.key_pem;
  return is_same_server && !is_same_tls;
}

void AccessSource::Begin(Instant now) {
  read_at_ = now;
  reading_.Begin([read = read_, file = access_.token_file] {
    Again again{.access = read ? read() : AccessReading(), .token = std::nullopt};
    if (!file.empty()) again.token = ReadToken(file);
    return again;
  });
}

std::optional<ApiAccess> AccessSource::TakeRead() {
  auto again = reading_.Take();
  if (!again) return std::nullopt;
  if (again->token) {
    token_fault_ = *again->token ? std::nullopt : std::optional(again->token->error());
    if (*again->token) access_.token = **std::move(again->token);
  }
  if (!again->access.faults.empty()) return std::nullopt;
  is_doubted_ = false;
  if (!HasOtherCertificates(again->access.access)) return std::nullopt;
  return std::move(again->access.access);
}

std::optional<ApiAccess> AccessSource::Changed(Instant now) {
  auto changed = TakeRead();
  if (!IsDue(now) || reading_.under_way()) return changed;
  Begin(now);
  auto newer = TakeRead();
  return newer ? newer : changed;
}

void AccessSource::Use(ApiAccess access) {
  access_.ca_pem = std::move(access.ca_pem);
  access_.cert_pem = std::move(access.cert_pem);
  access_.key_pem = std::move(access.key_pem);
}

// A token that is being read may be the one that was refused, so it is read once more then.
void AccessSource::Refused(Instant now) {
  is_doubted_ = true;
  if (access_.token_file.empty()) return;
  read_at_.reset();
  if (!reading_.under_way()) Begin(now);
}

}  // namespace jettison::kube
