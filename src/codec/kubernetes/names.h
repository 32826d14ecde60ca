#pragma once

#include <string_view>

namespace jettison::kube_json {

// RFC 1123 label: 1 to 63 lower-case letters, digits and '-', not at the ends.
[[nodiscard]] bool IsDnsLabel(std::string_view name);

// RFC 1123 subdomain: labels joined by '.', 253 characters at most.
[[nodiscard]] bool IsDnsSubdomain(std::string_view name);

// What may be a UID, which becomes a part of paths: letters, digits, '-', '_' and '.', no more than
// 128, the first one a letter or digit.
[[nodiscard]] bool IsUid(std::string_view uid);

}  // namespace jettison::kube_json
