#include "sim/frames/thinning.h"

#include <algorithm>
#include <utility>

namespace jettison {
namespace {

void Lower(std::optional<std::int64_t>& lowest, std::optional<std::int64_t> seen) {
  if (seen) lowest = std::min(lowest.value_or(*seen), *seen);
}

std::optional<std::int64_t> AvailableOf(const Frame& frame, Signal signal) {
  const auto& seen = frame.seen[signal];
  if (!seen) return std::nullopt;
  return seen->available;
}

// Both lists are in the order of slots.
void RaisePeaks(const std::vector<FramePod>& from, std::vector<FramePod>& into) {
  for (const FramePod& figures : from) {
    const auto place = std::ranges::lower_bound(into, figures.slot, {}, &FramePod::slot);
    if (place != into.end() && place->slot == figures.slot) {
      place->peak = std::max(place->peak, figures.peak);
    } else {
      into.insert(place, figures);
    }
  }
}

void LowerBoth(const Frame& from, Frame& into) {
  Lower(into.lowest_memory, from.lowest_memory);
  Lower(into.lowest_memory, AvailableOf(from, Signal::kMemoryAvailable));
  Lower(into.lowest_allocatable, from.lowest_allocatable);
  Lower(into.lowest_allocatable, AvailableOf(from, Signal::kAllocatableMemoryAvailable));
}

}  // namespace

void Thinning::Add(Frame& frame) {
  if (frame.breaks) {
    Finish();
    between_.reset();
    last_.reset();
  }
  const bool is_due = !last_ || Elapsed(*last_, frame.at) >= rule_.every;
  if (!frame.is_evicting && is_due) return Keep(frame);
  LeaveOut(frame);
  if (!frame.is_evicting) spare_ = std::move(frame);
}

void Thinning::Finish() {
  if (!spare_) return;
  // Its ends and figures have been merged already.
  Frame last = *std::exchange(spare_, std::nullopt);
  last.ends.clear();
  last.breaks = last.restarted = false;
  Keep(last);
}

void Thinning::LeaveOut(const Frame& frame) {
  if (!between_) between_.emplace();
  LowerBoth(frame, *between_);
  RaisePeaks(frame.pods, between_->pods);
  between_->ends.insert(between_->ends.end(), frame.ends.begin(), frame.ends.end());
  between_->breaks |= frame.breaks;
  between_->restarted |= frame.restarted;
}

void Thinning::Keep(Frame& frame) {
  if (between_) {
    frame.breaks |= between_->breaks;
    frame.restarted |= between_->restarted;
    frame.ends.insert(frame.ends.begin(), between_->ends.begin(), between_->ends.end());
    if (rule_.peaks) {
      LowerBoth(*between_, frame);
      frame.between = std::move(between_->pods);
    }
    between_.reset();
  }
  if (last_ && !rule_.end_times) {
    for (RecordedEnd& end : frame.ends) end.at = *last_;
  }
  spare_.reset();
  frame.follows = false;
  last_ = frame.at;
  take_(frame);
}

}  // namespace jettison
