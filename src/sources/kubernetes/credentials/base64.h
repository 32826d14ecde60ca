#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace jettison::kube {

// What a text in base64 (RFC 4648, with padding; line breaks and blanks are passed over) stands
// for; absent where it is none.
[[nodiscard]] std::optional<std::string> FromBase64(std::string_view text);

}  // namespace jettison::kube
