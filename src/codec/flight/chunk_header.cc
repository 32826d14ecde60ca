#include "codec/flight/chunk_header.h"

#include <fmt/format.h>

#include <algorithm>

#include "codec/flight/columns/bytes.h"
#include "codec/flight/columns/crc32c.h"
#include "codec/flight/item_fields.h"

namespace jettison {

template <typename Archive, FormOf<SignalExtremes> T>
void ListFields(Archive& fields, T& extremes) {
  fields("leastAvailable", extremes.least_available);
  fields("mostCapacity", extremes.most_capacity);
}

template <typename Archive, FormOf<RecordedStretch> T>
void ListFields(Archive& fields, T& stretch) {
  auto& [first, last, passes, evictions, limits, by_signal] = stretch;
  fields("first", first);
  fields("last", last);
  fields("passes", passes);
  fields("evictions", evictions);
  fields("hasStorageLimits", limits);
  fields("bySignal", by_signal);
}

std::uint64_t ChunkHeader::BodyBytes() const {
  std::uint64_t bytes = 0;
  for (const ChunkSection& section : sections) bytes += section.stored;
  return bytes;
}

void WriteChunkHeader(const ChunkHeader& header, std::string& out) {
  std::string rest;
  ByteWriter to(rest);
  to.Number(kChunkVersion);
  BinaryValueWriter values(to);
  values.Write(header.about);
  values.Write(header.sequence);
  values.Write(header.stretch);
  values.Write(header.others);
  for (const ChunkSection& section : header.sections) {
    to.Number(section.stored);
    to.Number(section.size);
    to.Fixed32(section.checksum);
  }
  out += kChunkMagic;
  ByteWriter prefix(out);
  prefix.Fixed32(static_cast<std::uint32_t>(kChunkPrefix + rest.size()));
  prefix.Fixed32(Crc32c(rest));
  out += rest;
}

std::optional<std::size_t> ChunkHeaderSize(std::string_view prefix) {
  if (prefix.size() < kChunkPrefix || !prefix.starts_with(kChunkMagic)) return std::nullopt;
  const std::size_t size = ByteReader(prefix.substr(kChunkMagic.size())).Fixed32();
  if (size <= kChunkPrefix || size > kMostHeaderBytes) return std::nullopt;
  return size;
}

Result<ChunkHeader> ReadChunkHeader(std::string_view header) {
  const std::string_view rest = header.substr(std::min(kChunkPrefix, header.size()));
  ByteReader prefix(header.substr(std::min(kChunkMagic.size() + 4, header.size())));
  if (prefix.Fixed32() != Crc32c(rest) || prefix.failed()) {
    return Fail(ErrorCode::kInvalidArgument, "its header is damaged");
  }
  ByteReader in(rest);
  const std::uint64_t version = in.Number();
  if (version != kChunkVersion) {
    return Fail(ErrorCode::kUnavailable,
                fmt::format("it is of version {}, and this program reads version {}", version,
                            kChunkVersion));
  }
  ChunkHeader read;
  BinaryValueReader values(in);
  values.Read(read.about);
  values.Read(read.sequence);
  values.Read(read.stretch);
  values.Read(read.others);
  bool fits = true;
  for (ChunkSection& section : read.sections) {
    section.stored = in.Number();
    section.size = in.Number();
    section.checksum = in.Fixed32();
    fits = fits && section.stored <= kMostSectionBytes && section.size <= kMostSectionBytes;
  }
  if (!in.failed() && in.AtEnd() && fits) return read;
  return Fail(ErrorCode::kInvalidArgument, "its header makes no sense");
}

}  // namespace jettison
