#define XXH_INLINE_ALL
#include "core/text/hash128.h"

#include <fmt/format.h>
#include <xxhash.h>

namespace jettison {

std::string HashOf(std::string_view text) {
  const XXH128_hash_t hash = XXH3_128bits(text.data(), text.size());
  return fmt::format("{:016x}{:016x}", hash.high64, hash.low64);
}

}  // namespace jettison
