#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/units/duration.h"
#include "core/units/int128.h"

namespace jettison {

enum class ArrowType : std::uint8_t {
  kUtf8,
  kInt64,
  kBool,
  kTimestamp,  // nanoseconds, UTC
  kDuration,   // nanoseconds
  kDecimal,    // 128 bits, 38 digits, none behind the point
};

struct ArrowField {
  std::string name;
  ArrowType type = ArrowType::kInt64;
  bool nullable = false;
};

// The values of one column, in the layout of Arrow.
class ArrowColumn {
 public:
  explicit ArrowColumn(ArrowType type);

  // The value must be of the column's type. Bytes in a text that are not UTF-8 are replaced.
  void AddText(std::string_view text);
  void AddInt64(std::int64_t number);
  void AddBool(bool value);
  void AddInstant(Instant at) { AddInt64(at.time_since_epoch().count()); }
  void AddDecimal(Int128 number);
  void AddNull();

  [[nodiscard]] std::int64_t nulls() const { return nulls_; }
  // How much is held.
  [[nodiscard]] std::size_t bytes() const { return values_.size() + offsets_.size() * 4; }
  // Validity, offsets where there are any, values: each as Arrow has it, without padding.
  [[nodiscard]] std::vector<std::string_view> Buffers() const;
  void Clear();

 private:
  void Mark(bool valid);

  ArrowType type_;
  std::int64_t length_ = 0;
  std::int64_t nulls_ = 0;
  std::string validity_;  // a bit each
  std::vector<std::int32_t> offsets_;
  std::string values_;
};

}  // namespace jettison
