#include "core/evaluate/carry_over.h"

#include <algorithm>

namespace jettison {

bool IsSameLine(const Threshold& a, const Threshold& b) {
  return a.signal == b.signal && a.IsHard() == b.IsHard() && a.value == b.value;
}

EvictionState CarryOver(const EvictionState& state, std::span<const Threshold> from,
                        std::span<const Threshold> to) {
  EvictionState carried = state;
  carried.met.reset();
  carried.first_observed_at.fill(std::nullopt);
  carried.kubelet_line_crossed_at.fill(std::nullopt);
  for (std::size_t i = 0; i < to.size(); ++i) {
    const auto before = std::ranges::find_if(
        from, [&](const Threshold& threshold) { return IsSameLine(threshold, to[i]); });
    if (before == from.end()) continue;
    const auto place = static_cast<std::size_t>(before - from.begin());
    carried.met[i] = state.met[place];
    carried.first_observed_at[i] = state.first_observed_at[place];
    if (from[place].kubelet != to[i].kubelet) continue;
    carried.kubelet_line_crossed_at[i] = state.kubelet_line_crossed_at[place];
  }
  return carried;
}

}  // namespace jettison
