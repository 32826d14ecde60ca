#include "codec/flight/columns/column.h"

#include <algorithm>

namespace jettison {
namespace {

constexpr std::uint64_t kStays = 0;
constexpr std::uint64_t kInFull = 1;
constexpr std::int64_t kPage = 4096;
constexpr std::uint64_t kForEver = std::numeric_limits<std::uint64_t>::max();

void WriteDifference(std::int64_t difference, ByteWriter& out) {
  if (difference % kPage == 0) return out.Number(ZigZag(difference / kPage) << 1U | 1U);
  const std::uint64_t number = ZigZag(difference);
  if (number <= kForEver >> 1U) return out.Number(number << 1U);
  out.Number(kInFull);
  out.Number(number);
}

}  // namespace

void ColumnWriter::PutChange(Column& column, std::uint64_t number) {
  if (column.text == kNoText) {
    column.text = static_cast<std::uint32_t>(texts_.size());
    texts_.emplace_back();
    bytes_ += sizeof(std::string);
  }
  std::string& text = texts_[column.text];
  const std::size_t before = text.capacity();
  ByteWriter out(text);
  if (column.same > 0) {
    out.Number(kStays);
    out.Number(column.same);
  }
  WriteDifference(static_cast<std::int64_t>(number - column.last), out);
  column.last = number;
  column.same = 0;
  bytes_ += text.capacity() - before;
}

void ColumnWriter::Write(ByteWriter& out) const {
  for (const Column& column : columns_) {
    out.Text(column.text == kNoText ? std::string_view() : texts_[column.text]);
  }
}

void ColumnReader::ReadToken() {
  if (in_.AtEnd()) {
    same_ = kForEver;
    return;
  }
  const std::uint64_t token = in_.Number();
  if (token == kStays) {
    same_ = in_.Number();
    if (same_ == 0) in_.SetFailed();
    same_ = std::max<std::uint64_t>(same_, 1) - 1;
    return;
  }
  const std::int64_t difference = UnZigZag(token == kInFull ? in_.Number() : token >> 1U);
  const bool in_pages = token != kInFull && token % 2 == 1;
  last_ += static_cast<std::uint64_t>(difference) * (in_pages ? kPage : 1U);
}

void ColumnReader::Skip(std::uint64_t count) {
  while (count > 0) {
    if (same_ == 0) {
      ReadToken();
      --count;
    }
    const std::uint64_t over = std::min(same_, count);
    same_ -= over;
    count -= over;
  }
}

}  // namespace jettison
