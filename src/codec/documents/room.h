#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "core/model/value.h"

// What the readers of JSON and of YAML share.
namespace jettison::documents {

inline constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";
// What stands between values, in JSON and in YAML alike.
inline constexpr std::string_view kBlanks = " \t\r\n";

// A key that the map holds more than once, or null.
[[nodiscard]] const std::string* RepeatedKey(const Value::Map& map);

// The memory that the values of a text may still use. It keeps a small text of millions of empty
// lists from becoming a large tree.
class Room {
 public:
  explicit Room(std::size_t bytes) : left_(bytes) {}

  // Takes so many bytes. Returns false where fewer are left; then nothing is left for later calls.
  [[nodiscard]] bool Take(std::size_t bytes) {
    const bool fits = bytes <= left_;
    left_ = fits ? left_ - bytes : 0;
    return fits;
  }
  // What an allocation of its own costs beside what it holds.
  static constexpr std::size_t kAllocation = 16;
  // A value, and a member of a map, without their texts.
  static constexpr std::size_t kValue = sizeof(Value) + kAllocation;
  static constexpr std::size_t kMember = sizeof(Value::Member) - sizeof(Value);
  // A text; short ones stand in the value itself.
  [[nodiscard]] static std::size_t OfText(std::string_view text) {
    return text.size() < 16 ? 0 : text.size() + kAllocation;
  }

 private:
  std::size_t left_;
};

}  // namespace jettison::documents
