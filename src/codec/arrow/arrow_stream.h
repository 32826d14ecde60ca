#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "codec/arrow/arrow_column.h"

namespace jettison {

// Writes a table as a stream of Arrow: its schema, batches of rows, an end.
class ArrowStream {
 public:
  // Takes bytes; false: they are lost, and so is the stream.
  using Write = std::function<bool(std::string_view bytes)>;
  using Metadata = std::vector<std::pair<std::string, std::string>>;

  // `metadata` is of the schema.
  ArrowStream(std::vector<ArrowField> fields, Metadata metadata, Write write);

  // Where the next row's value of that column is added; every column gets one a row.
  [[nodiscard]] ArrowColumn& column(std::size_t index) { return columns_[index]; }
  // The row is complete. False: the stream is lost.
  [[nodiscard]] bool EndRow();
  // No row follows.
  [[nodiscard]] bool Finish();

 private:
  static constexpr std::int64_t kMostRows = 16'384;
  static constexpr std::size_t kMostBytes = std::size_t{8} << 20;

  [[nodiscard]] bool WriteSchema();
  [[nodiscard]] bool Flush();

  std::vector<ArrowField> fields_;
  Metadata metadata_;
  Write write_;
  std::vector<ArrowColumn> columns_;
  std::int64_t rows_ = 0;  // of the batch
  bool begun_ = false;
};

}  // namespace jettison
