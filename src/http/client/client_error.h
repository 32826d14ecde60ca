#pragma once

#include <string>
#include <string_view>

#include "core/units/result.h"

namespace jettison::http {

// Why nobody was reached at an endpoint, and what may be done where it should be an agent's.
[[nodiscard]] Error Unreachable(const std::string& endpoint, int errno_value, bool is_agent);

// What libcurl's code (CURLcode) for a transfer that failed means; `words` are its own for it.
// CURLE_COULDNT_CONNECT is for Unreachable to tell.
[[nodiscard]] Error ErrorOfCurl(int code, std::string_view words);

}  // namespace jettison::http
