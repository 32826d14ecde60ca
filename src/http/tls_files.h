#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "core/units/result.h"

namespace jettison::http {

// What TLS needs, as PEM.
struct TlsFiles {
  std::string certificate;  // with those between it and its CA
  std::string private_key;
  std::string client_ca;  // empty: clients are not asked for certificates

  [[nodiscard]] friend bool operator==(const TlsFiles&, const TlsFiles&) = default;
};

// Reads the files that have a name and sees to it that they can be used: that there is a
// certificate, that the key is its key, that there is a CA. The key is not protected by a password.
[[nodiscard]] Result<TlsFiles> ReadTlsFiles(const std::string& cert_file,
                                            const std::string& private_key_file,
                                            const std::string& client_ca_file);

// What is wrong with such texts, with the names that they have for people; one without a name is
// not looked at.
[[nodiscard]] std::optional<Error> FaultOfTls(TlsFiles files, const std::string& cert_file,
                                              const std::string& private_key_file,
                                              const std::string& client_ca_file);

// The text of a file of at most `most` bytes, without NUL.
[[nodiscard]] Result<std::string> ReadSmallFile(const std::string& path,
                                                std::size_t most = std::size_t{1} << 20);

}  // namespace jettison::http
