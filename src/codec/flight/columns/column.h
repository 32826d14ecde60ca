#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "codec/flight/columns/bytes.h"

namespace jettison {

// A column is one number of each of many passes, as the differences from one to the next:
//
//   0, n        the number stays for n passes more
//   1, d        a difference, in full
//   2 d         a difference, d = ZigZag(difference)
//   2 d + 1     a difference of so many pages, d = ZigZag(difference / 4096)
//
// The first difference is that from zero. Behind the last byte the number stays.

// Several columns that are written beside each other. A column takes memory of its own only once
// its number changes.
class ColumnWriter {
 public:
  // `width` columns.
  explicit ColumnWriter(std::size_t width) : columns_(width) {}

  // The next number of a column.
  void Put(std::size_t column, std::uint64_t number) {
    Column& into = columns_[column];
    if (number == into.last) {
      ++into.same;
    } else {
      PutChange(into, number);
    }
  }
  // The columns one after another, as texts.
  void Write(ByteWriter& out) const;
  // Memory held for what was put, about.
  [[nodiscard]] std::size_t bytes() const { return bytes_; }
  [[nodiscard]] std::size_t width() const { return columns_.size(); }

 private:
  static constexpr std::uint32_t kNoText = std::numeric_limits<std::uint32_t>::max();
  struct Column {
    std::uint64_t last = 0;
    std::uint32_t same = 0;        // passes since it changed
    std::uint32_t text = kNoText;  // place in texts_
  };
  void PutChange(Column& column, std::uint64_t number);

  std::vector<Column> columns_;
  std::vector<std::string> texts_;
  std::size_t bytes_ = 0;
};

// Reads one column.
class ColumnReader {
 public:
  ColumnReader() : in_(std::string_view()) {}
  explicit ColumnReader(std::string_view column) : in_(column) {}

  [[nodiscard]] std::uint64_t Next() {
    if (same_ == 0) {
      ReadToken();
    } else {
      --same_;
    }
    return last_;
  }
  // Passes over `count` numbers.
  void Skip(std::uint64_t count);
  [[nodiscard]] bool failed() const { return in_.failed(); }

 private:
  void ReadToken();

  ByteReader in_;
  std::uint64_t last_ = 0;
  std::uint64_t same_ = 0;  // it stays for so many more
};

}  // namespace jettison
