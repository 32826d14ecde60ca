#pragma once

#include <string>
#include <string_view>

namespace jettison::http {

// RFC 4648, section 4, with padding.
[[nodiscard]] std::string Base64(std::string_view bytes);

}  // namespace jettison::http
