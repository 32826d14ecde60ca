// links: jettison_flight jettison_flight_lines
//
// Any bytes, read as a recording: as they are, and as the sections of a chunk whose checksums are
// right. What is read of it can be written, and reads back as it was.
#include <algorithm>
#include <array>
#include <string>

#include "codec/flight/chunk_header.h"
#include "codec/flight/columns/crc32c.h"
#include "codec/flight/columns/zstd_stream.h"
#include "codec/flight/lines/line_reader.h"
#include "codec/flight/lines/line_writer.h"
#include "codec/flight/recording_reader.h"
#include "codec/flight/recording_writer.h"
#include "fuzz/fuzz.h"

namespace jettison {
namespace {

RecordingReader::Read BytesIn(std::string_view bytes) {
  return [bytes](std::span<char> into) mutable -> Result<std::size_t> {
    const std::size_t size = std::min(into.size(), bytes.size());
    std::copy_n(bytes.begin(), size, into.begin());
    bytes.remove_prefix(size);
    return size;
  };
}

// Its items in binary and as lines.
struct Told {
  std::string binary;
  std::string lines;
};

Told Tell(RecordingSource& source) {
  Told told;
  RecordingWriter binary([&](std::string_view chunk) -> Result<void> {
    told.binary += chunk;
    return {};
  });
  LineWriter lines([&](std::string_view line) -> Result<void> {
    told.lines += line;
    return {};
  });
  for (int faults = 0; faults < 1000;) {
    const auto item = source.Next();
    if (!item) {
      ++faults;
      continue;
    }
    if (!*item) break;
    if (!binary.Add(**item) || !lines.Add(**item)) std::abort();
  }
  if (!binary.Finish()) std::abort();
  return told;
}

void ReadAndTellAgain(std::string_view bytes) {
  RecordingReader reader(BytesIn(bytes));
  const Told told = Tell(reader);
  RecordingReader again(BytesIn(told.binary));
  if (Tell(again).binary != told.binary) std::abort();
}

// Four sections, each with two bytes of its size before it.
std::string ChunkOf(std::string_view bytes) {
  ChunkHeader header;
  header.stretch.passes = bytes.empty() ? 0 : static_cast<unsigned char>(bytes[0]) % 8;
  header.others = bytes.size() < 2 ? 0 : static_cast<unsigned char>(bytes[1]) % 4;
  bytes.remove_prefix(std::min<std::size_t>(bytes.size(), 2));
  std::string body;
  static ZstdWriter zstd;
  for (ChunkSection& section : header.sections) {
    std::size_t size = 0;
    if (bytes.size() >= 2) {
      size = static_cast<unsigned char>(bytes[0]) + 256U * static_cast<unsigned char>(bytes[1]);
      bytes.remove_prefix(2);
    }
    const std::string_view text = bytes.substr(0, size);
    bytes.remove_prefix(text.size());
    const std::size_t before = body.size();
    zstd.Begin(body);
    zstd.Add(text);
    if (!zstd.Finish()) std::abort();
    section = {.stored = body.size() - before,
               .size = text.size(),
               .checksum = Crc32c(std::string_view(body).substr(before))};
  }
  std::string chunk;
  WriteChunkHeader(header, chunk);
  return chunk + body;
}

}  // namespace
}  // namespace jettison

void Fuzz(std::string_view bytes) {
  using namespace jettison;
  ReadAndTellAgain(bytes);
  ReadAndTellAgain(ChunkOf(bytes));
}
