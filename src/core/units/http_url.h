#pragma once

#include <string>
#include <string_view>

#include "core/units/result.h"

namespace jettison {

// An http or https URL in the parts that a request is made of (RFC 3986).
struct HttpUrl {
  std::string origin;       // "https://host:8443"
  std::string target;       // "/path?query"; a fragment is not sent
  std::string credentials;  // "user:password", decoded; empty: none
};

// The error says what is wrong without telling anything of the text, which may hold a password.
[[nodiscard]] Result<HttpUrl> ParseHttpUrl(std::string_view text);

}  // namespace jettison
