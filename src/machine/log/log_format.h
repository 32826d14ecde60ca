#pragma once

#include <cstdint>

namespace jettison {

// How a line of the log is written: `key=value` pairs, or a JSON object.
enum class LogFormat : std::uint8_t { kText, kJson };

}  // namespace jettison
