#define XXH_INLINE_ALL
#include "core/text/hash128.h"

#include <fmt/format.h>
#include <xxhash.h>

namespace jettison {

struct Hash128::State {
  XXH3_state_t state;
};

Hash128::Hash128() : state_(std::make_unique<State>()) {
  XXH3_128bits_reset(&state_->state);
}

Hash128::Hash128(Hash128&&) noexcept = default;
Hash128& Hash128::operator=(Hash128&&) noexcept = default;
Hash128::~Hash128() = default;

void Hash128::Add(std::string_view bytes) {
  XXH3_128bits_update(&state_->state, bytes.data(), bytes.size());
}

std::string Hash128::Text() const {
  const XXH128_hash_t hash = XXH3_128bits_digest(&state_->state);
  return fmt::format("{:016x}{:016x}", hash.high64, hash.low64);
}

std::string HashOf(std::string_view text) {
  Hash128 hash;
  hash.Add(text);
  return hash.Text();
}

}  // namespace jettison
