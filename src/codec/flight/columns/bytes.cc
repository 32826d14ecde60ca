#include "codec/flight/columns/bytes.h"

namespace jettison {

std::uint64_t ByteReader::LongNumber() {
  std::uint64_t number = 0;
  for (unsigned shift = 0; shift < 64; shift += 7) {
    if (at_ == bytes_.size()) break;
    const auto byte = static_cast<unsigned char>(bytes_[at_++]);
    const std::uint64_t bits = byte & 0x7FU;
    if (shift == 63 && bits > 1) break;
    number |= bits << shift;
    if (byte < 0x80U) return number;
  }
  SetFailed();
  return 0;
}

std::uint32_t ByteReader::Fixed32() {
  if (left() < 4) {
    SetFailed();
    return 0;
  }
  std::uint32_t number = 0;
  for (unsigned i = 0; i < 4; ++i) {
    number |= std::uint32_t{static_cast<unsigned char>(bytes_[at_++])} << (8 * i);
  }
  return number;
}

std::string_view ByteReader::Text() {
  const std::size_t size = Count();
  const std::string_view text = bytes_.substr(at_, size);
  at_ += size;
  return text;
}

std::size_t ByteReader::Count() {
  const std::uint64_t count = Number();
  if (count <= left()) return static_cast<std::size_t>(count);
  SetFailed();
  return 0;
}

}  // namespace jettison
