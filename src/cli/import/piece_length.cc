#include "cli/import/piece_length.h"

#include <algorithm>

namespace jettison {
namespace {

constexpr Duration kLeast = std::chrono::minutes(1);
constexpr Duration kMost = std::chrono::hours(24);

// After so many answers as long as it may be, twice as much is tried once more.
constexpr int kForgotten = 30;

Duration HalfOf(Duration length) {
  return std::max<Duration>(length / 2, kLeast);
}

}  // namespace

bool PieceLength::CanShrink() const {
  return length_ > kLeast;
}

void PieceLength::Refused() {
  length_ = limit_ = HalfOf(length_);
  answers_ = 0;
}

void PieceLength::Answered(std::size_t points) {
  if (length_ == limit_ && ++answers_ == kForgotten) limit_ = Duration::max();
  if (points * 4 < kMostPoints) length_ = std::min({length_ * 2, limit_, kMost});
  if (points * 2 > kMostPoints) length_ = HalfOf(length_);
}

}  // namespace jettison
