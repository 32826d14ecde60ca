#include "http/tls_files.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <gnutls/gnutls.h>
#include <unistd.h>

#include <array>
#include <memory>
#include <optional>
#include <utility>

#include "ports/file_descriptor.h"
#include "ports/system_error.h"

namespace jettison::http {
namespace {

struct FreeCredentials {
  void operator()(gnutls_certificate_credentials_t credentials) const {
    gnutls_certificate_free_credentials(credentials);
  }
};
using Credentials =
    std::unique_ptr<std::remove_pointer_t<gnutls_certificate_credentials_t>, FreeCredentials>;

gnutls_datum_t DatumOf(std::string& text) {
  return {reinterpret_cast<unsigned char*>(text.data()), static_cast<unsigned>(text.size())};
}

}  // namespace

// GnuTLS is the one to say, for it will use them.
std::optional<Error> FaultOfTls(TlsFiles files, const std::string& cert_file,
                                const std::string& private_key_file,
                                const std::string& client_ca_file) {
  gnutls_certificate_credentials_t raw = nullptr;
  if (gnutls_certificate_allocate_credentials(&raw) != 0) {
    return Error{ErrorCode::kInternal, "no memory for certificates"};
  }
  const Credentials credentials(raw);
  if (!cert_file.empty()) {
    gnutls_datum_t certificate = DatumOf(files.certificate);
    gnutls_datum_t key = DatumOf(files.private_key);
    if (const int code =
            gnutls_certificate_set_x509_key_mem(raw, &certificate, &key, GNUTLS_X509_FMT_PEM);
        code < 0) {
      return Error{
          ErrorCode::kInvalidArgument,
          fmt::format("the certificate in {} and the key in {} cannot be used together: {}",
                      cert_file, private_key_file, gnutls_strerror(code))};
    }
  }
  if (client_ca_file.empty()) return std::nullopt;
  gnutls_datum_t ca = DatumOf(files.client_ca);
  if (const int count = gnutls_certificate_set_x509_trust_mem(raw, &ca, GNUTLS_X509_FMT_PEM);
      count <= 0) {
    return Error{ErrorCode::kInvalidArgument,
                 fmt::format("there is no certificate in {}: {}", client_ca_file,
                             count < 0 ? gnutls_strerror(count) : "a PEM file with CAs is needed")};
  }
  return std::nullopt;
}

Result<std::string> ReadSmallFile(const std::string& path, std::size_t most) {
  const FileDescriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (!file) return FailErrno("read " + path);
  std::string text;
  std::array<char, 16384> buffer{};
  ssize_t size = 0;
  while ((size = ::read(file.get(), buffer.data(), buffer.size())) > 0) {
    text.append(buffer.data(), static_cast<std::size_t>(size));
    if (text.size() > most) {
      return Fail(ErrorCode::kInvalidArgument,
                  fmt::format("{} is larger than {} bytes", path, most));
    }
  }
  if (size < 0) return FailErrno("read " + path);
  if (text.find('\0') != std::string::npos) {
    return Fail(ErrorCode::kInvalidArgument, path + " is not a text");
  }
  return text;
}

Result<TlsFiles> ReadTlsFiles(const std::string& cert_file, const std::string& private_key_file,
                              const std::string& client_ca_file) {
  TlsFiles files;
  const std::pair<const std::string&, std::string&> texts[] = {
      {cert_file, files.certificate},
      {private_key_file, files.private_key},
      {client_ca_file, files.client_ca}};
  for (const auto& [path, text] : texts) {
    if (path.empty()) continue;
    auto read = ReadSmallFile(path);
    if (!read) return Fail(read.error());
    text = *std::move(read);
  }
  if (auto fault = FaultOfTls(files, cert_file, private_key_file, client_ca_file)) {
    return Fail(std::move(*fault));
  }
  return files;
}

}  // namespace jettison::http
