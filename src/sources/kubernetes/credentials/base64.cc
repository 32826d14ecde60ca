#include "sources/kubernetes/credentials/base64.h"

#include <cstdint>

namespace jettison::kube {
namespace {

// 0 to 63; -1 for a character that is not valid in base64.
int ValueOf(char c) {
  if (c >= 'A' && c <= 'Z') return c - 'A';
  if (c >= 'a' && c <= 'z') return c - 'a' + 26;
  if (c >= '0' && c <= '9') return c - '0' + 52;
  if (c == '+') return 62;
  return c == '/' ? 63 : -1;
}

bool IsBlank(char c) {
  return c == ' ' || c == '\n' || c == '\r' || c == '\t';
}

}  // namespace

std::optional<std::string> FromBase64(std::string_view text) {
  std::string bytes;
  std::uint32_t bits = 0;
  std::size_t count = 0;    // of characters that stand for six bits
  std::size_t padding = 0;  // of "="
  for (const char c : text) {
    if (IsBlank(c)) continue;
    if (c == '=') {
      ++padding;
      continue;
    }
    const int value = ValueOf(c);
    if (value < 0 || padding > 0) return std::nullopt;
    bits = (bits << 6U) | static_cast<std::uint32_t>(value);
    ++count;
    const std::size_t held = count % 4;  // after 2, 3 and 4 characters there is one byte more
    if (held == 1) continue;
    const unsigned shift = held == 2 ? 4U : held == 3 ? 2U : 0U;
    bytes += static_cast<char>(static_cast<unsigned char>(bits >> shift));
  }
  if ((count + padding) % 4 != 0 || padding > 2) return std::nullopt;
  return bytes;
}

}  // namespace jettison::kube
