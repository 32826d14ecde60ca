#pragma once

#include <cstdint>
#include <string_view>

namespace jettison {

// How much a line of the log matters, the least first.
enum class LogLevel : std::uint8_t { kDebug, kInfo, kWarning, kError };

// "debug", "info", "warning", "error".
[[nodiscard]] constexpr std::string_view NameOf(LogLevel level) {
  switch (level) {
    case LogLevel::kDebug: return "debug";
    case LogLevel::kInfo: return "info";
    case LogLevel::kWarning: return "warning";
    case LogLevel::kError: return "error";
  }
  return "";
}

}  // namespace jettison
