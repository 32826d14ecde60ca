#include "codec/arrow/arrow_column.h"

#include <bit>

#include "core/text/utf8.h"

namespace jettison {
namespace {

static_assert(std::endian::native == std::endian::little);

template <typename T>
void Append(const T& value, std::string& out) {
  out.append(reinterpret_cast<const char*>(&value), sizeof value);
}

void SetBit(std::int64_t at, bool value, std::string& bits) {
  if (at % 8 == 0) bits += '\0';
  if (value) bits.back() = static_cast<char>(bits.back() | (1 << (at % 8)));
}

void AppendUtf8(std::string_view text, std::string& out) {
  while (!text.empty()) {
    const std::size_t size = Utf8CharacterSize(text);
    out += size > 0 ? text.substr(0, size) : kReplacementCharacter;
    text.remove_prefix(size > 0 ? size : 1);
  }
}

}  // namespace

ArrowColumn::ArrowColumn(ArrowType type) : type_(type) {
  Clear();
}

void ArrowColumn::Clear() {
  length_ = 0;
  nulls_ = 0;
  validity_.clear();
  values_.clear();
  offsets_.clear();
  if (type_ == ArrowType::kUtf8) offsets_.push_back(0);
}

void ArrowColumn::Mark(bool valid) {
  SetBit(length_++, valid, validity_);
  nulls_ += valid ? 0 : 1;
}

void ArrowColumn::AddText(std::string_view text) {
  AppendUtf8(text, values_);
  offsets_.push_back(static_cast<std::int32_t>(values_.size()));
  Mark(true);
}

void ArrowColumn::AddInt64(std::int64_t number) {
  Append(number, values_);
  Mark(true);
}

void ArrowColumn::AddBool(bool value) {
  SetBit(length_, value, values_);
  Mark(true);
}

void ArrowColumn::AddDecimal(Int128 number) {
  Append(number, values_);
  Mark(true);
}

void ArrowColumn::AddNull() {
  switch (type_) {
    case ArrowType::kUtf8: offsets_.push_back(offsets_.back()); break;
    case ArrowType::kBool: SetBit(length_, false, values_); break;
    case ArrowType::kDecimal: Append(Int128{0}, values_); break;
    case ArrowType::kInt64:
    case ArrowType::kTimestamp:
    case ArrowType::kDuration: Append(std::int64_t{0}, values_); break;
  }
  Mark(false);
}

std::vector<std::string_view> ArrowColumn::Buffers() const {
  std::vector<std::string_view> buffers;
  // Where nothing is absent it may be left out.
  buffers.push_back(nulls_ > 0 ? std::string_view(validity_) : std::string_view());
  if (type_ == ArrowType::kUtf8) {
    buffers.emplace_back(reinterpret_cast<const char*>(offsets_.data()), offsets_.size() * 4);
  }
  buffers.emplace_back(values_);
  return buffers;
}

}  // namespace jettison
