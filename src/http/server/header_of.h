#pragma once

#include <microhttpd.h>

#include <optional>
#include <string_view>

namespace jettison::http {

// A header of the request, its name in any case; none: it was not sent.
[[nodiscard]] inline std::optional<std::string_view> HeaderOf(MHD_Connection* handle,
                                                              const char* name) {
  const char* value = MHD_lookup_connection_value(handle, MHD_HEADER_KIND, name);
  if (value == nullptr) return std::nullopt;
  return value;
}

}  // namespace jettison::http
