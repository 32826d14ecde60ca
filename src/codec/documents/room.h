#pragma once

#include <cstddef>
#include <string_view>

#include "core/model/value.h"

namespace jettison::documents {

// The memory that the values of a text may still take, so that a small text of millions of empty
// lists does not become a large tree.
class Room {
 public:
  explicit Room(std::size_t bytes) : left_(bytes) {}

  // False where there is not so much left; nothing more is given then.
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
