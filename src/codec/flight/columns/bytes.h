#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace jettison {

// A signed difference as a number that is small where the difference is: 0, -1, 1, -2, 2, ...
[[nodiscard]] constexpr std::uint64_t ZigZag(std::int64_t difference) {
  return (static_cast<std::uint64_t>(difference) << 1U) ^
         static_cast<std::uint64_t>(difference >> 63);
}
[[nodiscard]] constexpr std::int64_t UnZigZag(std::uint64_t number) {
  return static_cast<std::int64_t>(number >> 1U) ^ -static_cast<std::int64_t>(number & 1U);
}

// Appends numbers and texts to a string of bytes.
class ByteWriter {
 public:
  explicit ByteWriter(std::string& out) : out_(out) {}

  // Seven bits a byte, the lowest first; one to ten bytes.
  void Number(std::uint64_t number) {
    while (number >= 0x80U) {
      out_.push_back(static_cast<char>(number | 0x80U));
      number >>= 7U;
    }
    out_.push_back(static_cast<char>(number));
  }
  void Signed(std::int64_t number) { Number(ZigZag(number)); }
  // Four bytes, the lowest first.
  void Fixed32(std::uint32_t number) {
    for (int i = 0; i < 4; ++i, number >>= 8U) out_.push_back(static_cast<char>(number & 0xFFU));
  }
  // Its length, and the text.
  void Text(std::string_view text) {
    Number(text.size());
    out_ += text;
  }

 private:
  std::string& out_;
};

// Reads what a ByteWriter wrote. Where the bytes end early, or were not written by one, the reader
// fails, and everything from there on reads as 0 and empty.
class ByteReader {
 public:
  explicit ByteReader(std::string_view bytes) : bytes_(bytes) {}

  [[nodiscard]] std::uint64_t Number() {
    if (at_ < bytes_.size() && static_cast<unsigned char>(bytes_[at_]) < 0x80U) {
      return static_cast<unsigned char>(bytes_[at_++]);
    }
    return LongNumber();
  }
  [[nodiscard]] std::int64_t Signed() { return UnZigZag(Number()); }
  [[nodiscard]] std::uint32_t Fixed32();
  [[nodiscard]] std::string_view Text();
  // The number of items that follow. It is checked against the bytes that are left, as each item
  // takes at least one.
  [[nodiscard]] std::size_t Count();

  [[nodiscard]] bool AtEnd() const { return at_ == bytes_.size(); }
  [[nodiscard]] std::size_t left() const { return bytes_.size() - at_; }
  [[nodiscard]] bool failed() const { return failed_; }
  // Marks the bytes as invalid, because what was read makes no sense.
  void SetFailed() {
    failed_ = true;
    at_ = bytes_.size();
  }

 private:
  [[nodiscard]] std::uint64_t LongNumber();

  std::string_view bytes_;
  std::size_t at_ = 0;
  bool failed_ = false;
};

}  // namespace jettison
