#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "codec/flight/columns/bytes.h"
#include "core/model/summary.h"

namespace jettison {

// What of a pod's figures is no number. It stays the same from pass to pass.
struct PodShape {
  std::string uid;
  std::string name;
  std::string namespace_;
  std::vector<std::string> containers;
  std::vector<std::string> volumes;

  [[nodiscard]] bool operator==(const PodShape&) const = default;
  // Whether these are figures of such a pod.
  [[nodiscard]] bool IsOf(const PodStats& pod) const;
  // Slots of its row (slots.h).
  [[nodiscard]] std::size_t Width() const { return 9 + 6 * containers.size() + 3 * volumes.size(); }
};

[[nodiscard]] PodShape ShapeOf(const PodStats& pod);
void WriteShape(const PodShape& shape, ByteWriter& out);
[[nodiscard]] PodShape ReadShape(ByteReader& in);

// A pod's figures as a row of its shape's width.
void PutPod(const PodStats& pod, std::span<std::uint64_t> row);
// And back.
[[nodiscard]] PodStats TakePod(const PodShape& shape, std::span<const std::uint64_t> row);

}  // namespace jettison
