#include "codec/arrow/arrow_stream.h"

#include <flatbuffers/flatbuffers.h>

#include <array>

namespace jettison {
namespace {

using flatbuffers::FlatBufferBuilder;
using flatbuffers::Offset;
using flatbuffers::voffset_t;

// The place of a field, by its number in Arrow's Schema.fbs and Message.fbs.
constexpr voffset_t Slot(voffset_t number) {
  return static_cast<voffset_t>(4 + 2 * number);
}

// Numbers of Arrow's enums and unions.
constexpr std::int16_t kVersion5 = 4;
constexpr std::int16_t kNanosecond = 3;
constexpr std::int16_t kDefaultDurationUnit = 1;
constexpr std::uint8_t kSchemaHeader = 1;
constexpr std::uint8_t kRecordBatchHeader = 3;
constexpr std::int32_t kDecimalDigits = 38;
constexpr std::size_t kAlign = 8;

// Structs of Arrow's Message.fbs.
struct FieldNode {
  std::int64_t length;
  std::int64_t null_count;
};
struct BufferPlace {
  std::int64_t offset;
  std::int64_t length;
};

std::size_t Padded(std::size_t size) {
  return (size + kAlign - 1) / kAlign * kAlign;
}

std::uint8_t TypeNumber(ArrowType type) {
  switch (type) {
    case ArrowType::kInt64: return 2;
    case ArrowType::kUtf8: return 5;
    case ArrowType::kBool: return 6;
    case ArrowType::kDecimal: return 7;
    case ArrowType::kTimestamp: return 10;
    case ArrowType::kDuration: return 18;
  }
  __builtin_unreachable();
}

Offset<void> PutType(ArrowType type, FlatBufferBuilder& out) {
  const auto zone = type == ArrowType::kTimestamp ? out.CreateString("UTC") : 0;
  const auto start = out.StartTable();
  switch (type) {
    case ArrowType::kUtf8:
    case ArrowType::kBool: break;
    case ArrowType::kInt64:
      out.AddElement<std::int32_t>(Slot(0), 64, 0);
      out.AddElement<std::uint8_t>(Slot(1), 1, 0);
      break;
    case ArrowType::kDecimal:
      out.AddElement<std::int32_t>(Slot(0), kDecimalDigits, 0);
      out.AddElement<std::int32_t>(Slot(2), 128, 0);
      break;
    case ArrowType::kTimestamp:
      out.AddElement<std::int16_t>(Slot(0), kNanosecond, 0);
      out.AddOffset(Slot(1), zone);
      break;
    case ArrowType::kDuration:
      out.AddElement<std::int16_t>(Slot(0), kNanosecond, kDefaultDurationUnit);
      break;
  }
  return {out.EndTable(start)};
}

Offset<void> PutField(const ArrowField& field, FlatBufferBuilder& out) {
  const auto name = out.CreateString(field.name);
  const auto type = PutType(field.type, out);
  const auto children = out.CreateVector(std::vector<Offset<void>>());
  const auto start = out.StartTable();
  out.AddOffset(Slot(0), name);
  out.AddElement<std::uint8_t>(Slot(1), field.nullable ? 1 : 0, 0);
  out.AddElement<std::uint8_t>(Slot(2), TypeNumber(field.type), 0);
  out.AddOffset(Slot(3), type);
  out.AddOffset(Slot(5), children);
  return {out.EndTable(start)};
}

Offset<void> PutPair(const std::pair<std::string, std::string>& pair, FlatBufferBuilder& out) {
  const auto key = out.CreateString(pair.first);
  const auto value = out.CreateString(pair.second);
  const auto start = out.StartTable();
  out.AddOffset(Slot(0), key);
  out.AddOffset(Slot(1), value);
  return {out.EndTable(start)};
}

// A message with what `header` says: its prefix, metadata and padding, up to its body.
std::string MessageOf(FlatBufferBuilder& out, std::uint8_t kind, Offset<void> header,
                      std::size_t body) {
  const auto start = out.StartTable();
  out.AddElement<std::int64_t>(Slot(3), static_cast<std::int64_t>(body), 0);
  out.AddOffset(Slot(2), header);
  out.AddElement<std::int16_t>(Slot(0), kVersion5, 0);
  out.AddElement<std::uint8_t>(Slot(1), kind, 0);
  out.Finish(Offset<void>(out.EndTable(start)));
  constexpr std::uint32_t kContinuation = 0xFFFFFFFF;
  const std::size_t size = Padded(out.GetSize());
  const std::array<std::uint32_t, 2> prefix = {kContinuation, static_cast<std::uint32_t>(size)};
  std::string message(reinterpret_cast<const char*>(prefix.data()), sizeof prefix);
  message.append(reinterpret_cast<const char*>(out.GetBufferPointer()), out.GetSize());
  message.append(size - out.GetSize(), '\0');
  return message;
}

}  // namespace

ArrowStream::ArrowStream(std::vector<ArrowField> fields, Metadata metadata, Write write)
    : fields_(std::move(fields)), metadata_(std::move(metadata)), write_(std::move(write)) {
  for (const ArrowField& field : fields_) columns_.emplace_back(field.type);
}

bool ArrowStream::WriteSchema() {
  begun_ = true;
  FlatBufferBuilder out;
  std::vector<Offset<void>> fields;
  for (const ArrowField& field : fields_) fields.push_back(PutField(field, out));
  std::vector<Offset<void>> pairs;
  for (const auto& pair : metadata_) pairs.push_back(PutPair(pair, out));
  const auto field_list = out.CreateVector(fields);
  const auto pair_list = out.CreateVector(pairs);
  const auto start = out.StartTable();
  out.AddOffset(Slot(1), field_list);
  out.AddOffset(Slot(2), pair_list);
  const Offset<void> schema(out.EndTable(start));
  return write_(MessageOf(out, kSchemaHeader, schema, 0));
}

bool ArrowStream::Flush() {
  std::vector<FieldNode> nodes;
  std::vector<BufferPlace> places;
  std::string body;
  for (const ArrowColumn& column : columns_) {
    nodes.push_back({rows_, column.nulls()});
    for (const std::string_view buffer : column.Buffers()) {
      places.push_back(
          {static_cast<std::int64_t>(body.size()), static_cast<std::int64_t>(buffer.size())});
      body += buffer;
      body.resize(Padded(body.size()), '\0');
    }
  }
  FlatBufferBuilder out;
  const auto node_list = out.CreateVectorOfStructs(nodes);
  const auto place_list = out.CreateVectorOfStructs(places);
  const auto start = out.StartTable();
  out.AddElement<std::int64_t>(Slot(0), rows_, 0);
  out.AddOffset(Slot(1), node_list);
  out.AddOffset(Slot(2), place_list);
  const Offset<void> batch(out.EndTable(start));
  for (ArrowColumn& column : columns_) column.Clear();
  rows_ = 0;
  return write_(MessageOf(out, kRecordBatchHeader, batch, body.size())) && write_(body);
}

bool ArrowStream::EndRow() {
  if (!begun_ && !WriteSchema()) return false;
  ++rows_;
  std::size_t bytes = 0;
  for (const ArrowColumn& column : columns_) bytes += column.bytes();
  return (rows_ < kMostRows && bytes < kMostBytes) || Flush();
}

bool ArrowStream::Finish() {
  if (!begun_ && !WriteSchema()) return false;
  if (rows_ > 0 && !Flush()) return false;
  return write_(std::string_view("\xFF\xFF\xFF\xFF\0\0\0\0", 8));
}

}  // namespace jettison
