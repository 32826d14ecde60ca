#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "core/model/summary.h"
#include "core/units/duration.h"

namespace jettison {

// Slots of the row of a node (slots.h), its name left out.
inline constexpr std::size_t kNodeRowWidth = 50;

// The node's figures as a row; `at` is the time of the pass.
void PutNode(const NodeStats& node, Instant at, std::span<std::uint64_t, kNodeRowWidth> row);
// And back. The name stays.
void TakeNode(std::span<const std::uint64_t, kNodeRowWidth> row, Instant at, NodeStats& into);

}  // namespace jettison
