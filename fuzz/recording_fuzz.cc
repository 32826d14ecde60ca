// links: jettison_flight
//
// Any bytes, read as a recording: as they are, and as the messages behind a chunk's begin whose
// checksums are right. What is read of it can be written, and reads back as it was.
#include <algorithm>
#include <cstdlib>
#include <string>

#include "codec/flight/recording_reader.h"
#include "codec/flight/recording_writer.h"
#include "codec/flight/zstd_frame.h"
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

// A chunk that goes on with these messages.
std::string ChunkOf(std::string_view messages) {
  std::string chunk;
  RecordingWriter writer([&](std::string_view frames) -> Result<void> {
    chunk += frames;
    return {};
  });
  if (!writer.Add(RecordingAbout{.node = "n"}) || !writer.Finish()) std::abort();
  if (!AppendZstdFrame(messages, chunk)) std::abort();
  return chunk;
}

}  // namespace
}  // namespace jettison

void Fuzz(std::string_view bytes) {
  using namespace jettison;
  ReadAndTellAgain(bytes);
  ReadAndTellAgain(ChunkOf(bytes));
}
