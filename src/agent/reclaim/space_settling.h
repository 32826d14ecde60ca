#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "core/model/summary.h"
#include "core/units/duration.h"

namespace jettison {

// Determines when the space of removed files is free, because a runtime answers before it has
// deleted them. The caller looks every 200 ms, until no file system of the node has gained bytes or
// inodes for a second, or 10 s have passed.
class SpaceSettling {
 public:
  // `before`: the figures before the removal.
  SpaceSettling(const NodeStats& before, Instant now);

  // Takes the figures of this moment; whether it is over.
  [[nodiscard]] bool Look(const NodeStats& stats, Instant now);
  // When to look next.
  [[nodiscard]] Instant next_look() const { return next_look_; }
  // What the image file system has gained since before, in bytes. Absent where it could not be
  // measured; others may write meanwhile, so it is no exact figure.
  [[nodiscard]] std::optional<std::uint64_t> freed_bytes() const;

 private:
  // Available bytes and free inodes of nodefs, imagefs and containerfs; absent: not measured.
  using Space = std::array<std::optional<std::uint64_t>, 6>;
  [[nodiscard]] static Space SpaceOf(const NodeStats& stats);

  std::optional<std::uint64_t> image_bytes_before_;
  std::optional<std::uint64_t> image_bytes_;
  Space most_;
  Instant gained_at_;
  Instant give_up_at_;
  Instant next_look_;
};

}  // namespace jettison
