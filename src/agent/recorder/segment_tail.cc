#include "agent/recorder/segment_tail.h"

#include <unistd.h>

#include <cerrno>
#include <optional>
#include <string>
#include <string_view>

#include "codec/flight/chunk_header.h"

namespace jettison {
namespace {

// The size of the chunk that begins here; absent: there is no chunk.
std::optional<std::uint64_t> BytesOfChunk(std::string_view begin) {
  const auto size = ChunkHeaderSize(begin);
  if (!size || *size > begin.size()) return std::nullopt;
  const auto header = ReadChunkHeader(begin.substr(0, *size));
  if (!header) return std::nullopt;
  return *size + header->BodyBytes();
}

}  // namespace

bool EndsWithAChunk(int file, std::uint64_t bytes) {
  std::string begin(kMostHeaderBytes, '\0');
  std::uint64_t at = 0;
  while (at < bytes) {
    const ssize_t read = ::pread(file, begin.data(), begin.size(), static_cast<off_t>(at));
    if (read < 0 && errno == EINTR) continue;
    if (read <= 0) return false;
    const auto chunk = BytesOfChunk({begin.data(), static_cast<std::size_t>(read)});
    if (!chunk) return false;
    at += *chunk;
  }
  return at == bytes;
}

}  // namespace jettison
