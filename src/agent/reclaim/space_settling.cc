#include "agent/reclaim/space_settling.h"

namespace jettison {
namespace {

constexpr Duration kBetweenLooks = std::chrono::milliseconds(200);
constexpr Duration kQuiet = std::chrono::seconds(1);
constexpr Duration kSettlingPatience = std::chrono::seconds(10);

std::optional<std::uint64_t> ImageBytes(const NodeStats& stats) {
  return stats.image_fs ? stats.image_fs->available_bytes : std::nullopt;
}

}  // namespace

SpaceSettling::Space SpaceSettling::SpaceOf(const NodeStats& stats) {
  Space space;
  std::size_t i = 0;
  for (const auto* fs : {&stats.fs, &stats.image_fs, &stats.container_fs}) {
    if (*fs) {
      space[i] = (*fs)->available_bytes;
      space[i + 1] = (*fs)->inodes_free;
    }
    i += 2;
  }
  return space;
}

SpaceSettling::SpaceSettling(const NodeStats& before, Instant now)
    : image_bytes_before_(ImageBytes(before)),
      image_bytes_(image_bytes_before_),
      most_(SpaceOf(before)),
      gained_at_(now),
      give_up_at_(now + kSettlingPatience),
      next_look_(now + kBetweenLooks) {}

bool SpaceSettling::Look(const NodeStats& stats, Instant now) {
  image_bytes_ = ImageBytes(stats);
  const Space space = SpaceOf(stats);
  for (std::size_t i = 0; i < space.size(); ++i) {
    if (!space[i] || (most_[i] && *space[i] <= *most_[i])) continue;
    most_[i] = space[i];
    gained_at_ = now;
  }
  next_look_ = now + kBetweenLooks;
  return now - gained_at_ >= kQuiet || now >= give_up_at_;
}

std::optional<std::uint64_t> SpaceSettling::freed_bytes() const {
  if (!image_bytes_ || !image_bytes_before_) return std::nullopt;
  return *image_bytes_ > *image_bytes_before_ ? *image_bytes_ - *image_bytes_before_ : 0;
}

}  // namespace jettison
