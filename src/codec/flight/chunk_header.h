#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/recording/recording.h"
#include "core/units/duration.h"
#include "core/units/result.h"

namespace jettison {

// A recording is a row of chunks, each of which stands alone:
//
//   magic         8 bytes
//   header size   4 bytes, of all up to the body, these four and the magic included
//   checksum      4 bytes, of the rest of the header
//   rest          version, about, sequence, stretch, counts, and of each section its sizes and its
//                 checksum
//   body          the sections one after another, each compressed by itself
//
// Numbers of 4 bytes begin with the lowest; all checksums are CRC-32C.

inline constexpr std::string_view kChunkMagic = "\x89JTREC\r\n";
inline constexpr std::uint64_t kChunkVersion = 1;
inline constexpr std::size_t kChunkPrefix = 16;  // up to the rest of the header
inline constexpr std::size_t kMostHeaderBytes = std::size_t{64} << 10;
inline constexpr std::size_t kMostSectionBytes = std::size_t{16} << 20;  // of one, not compressed

enum class SectionKind : std::uint8_t {
  kNode,   // what is known of each pass beside its pods
  kPods,   // which pods each pass had, and their figures
  kFacts,  // the pods themselves
  kMore,   // what few passes have, and items that are no passes
};
inline constexpr std::size_t kSectionCount = 4;

struct ChunkSection {
  std::uint64_t stored = 0;    // bytes in the body
  std::uint64_t size = 0;      // bytes when it is not compressed
  std::uint32_t checksum = 0;  // of the stored bytes
};

struct ChunkHeader {
  RecordingAbout about;
  std::uint64_t sequence = 0;  // of the chunks since `about`
  RecordedStretch stretch;     // its times hold for all items
  std::uint64_t others = 0;    // items that are no passes
  std::array<ChunkSection, kSectionCount> sections;

  [[nodiscard]] std::uint64_t BodyBytes() const;
};

void WriteChunkHeader(const ChunkHeader& header, std::string& out);

// What the beginning of a chunk says of the size of its header. None: these are not the first
// kChunkPrefix bytes of a chunk.
[[nodiscard]] std::optional<std::size_t> ChunkHeaderSize(std::string_view prefix);
// Reads a header of that size. kInvalidArgument: it is damaged; kUnavailable: of a later version.
[[nodiscard]] Result<ChunkHeader> ReadChunkHeader(std::string_view header);

}  // namespace jettison
