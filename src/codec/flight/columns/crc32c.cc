#include "codec/flight/columns/crc32c.h"

#include <array>
#include <cstddef>

namespace jettison {
namespace {

constexpr std::uint32_t kPolynomial = 0x82F63B78;  // its bits in reverse

constexpr std::array<std::uint32_t, 256> kTable = [] {
  std::array<std::uint32_t, 256> table{};
  for (std::uint32_t byte = 0; byte < table.size(); ++byte) {
    std::uint32_t rest = byte;
    for (int bit = 0; bit < 8; ++bit) rest = (rest >> 1U) ^ ((rest & 1U) != 0 ? kPolynomial : 0U);
    table[byte] = rest;
  }
  return table;
}();

}  // namespace

std::uint32_t Crc32c(std::string_view bytes) {
  std::uint32_t sum = ~std::uint32_t{0};
  for (const char byte : bytes) {
    sum = kTable[(sum ^ static_cast<unsigned char>(byte)) & 0xFFU] ^ (sum >> 8U);
  }
  return ~sum;
}

}  // namespace jettison
