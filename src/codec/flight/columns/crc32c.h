#pragma once

#include <cstdint>
#include <string_view>

namespace jettison {

// The checksum of these bytes: CRC-32C (Castagnoli, RFC 3720 appendix B.4).
[[nodiscard]] std::uint32_t Crc32c(std::string_view bytes);

}  // namespace jettison
