#include "sim/frames/frame.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <utility>

namespace jettison {

const FramePod* FindPod(const std::vector<FramePod>& pods, PodIndex slot) {
  const auto found = std::ranges::lower_bound(pods, slot, {}, &FramePod::slot);
  return found != pods.end() && found->slot == slot ? &*found : nullptr;
}

const FramePod* FiguresOf(const Frame& frame, PodIndex slot) {
  return FindPod(frame.pods, slot);
}

PodIndex PodRoster::SlotOf(const std::shared_ptr<const PodFacts>& facts) {
  const auto [entry, is_new] = slots_.try_emplace(facts->pod.uid, pods_.size());
  if (is_new) {
    pods_.push_back({.facts = facts, .name = FullName(facts->pod)});
  } else {
    pods_[entry->second].facts = facts;
  }
  return entry->second;
}

std::optional<PodIndex> PodRoster::Find(std::string_view uid) const {
  const auto found = slots_.find(uid);
  if (found == slots_.end()) return std::nullopt;
  return found->second;
}

namespace {

double Line(double from, double to, double share) {
  return from + (to - from) * share;
}

}  // namespace

std::optional<std::int64_t> MemoryIn(const Frame& frame, PodIndex slot) {
  const FramePod* figures = FiguresOf(frame, slot);
  if (figures == nullptr) return std::nullopt;
  return figures->memory;
}

double Segment::ShareAt(Instant at) const {
  const auto span = static_cast<double>(length().count());
  if (span <= 0) return 1;
  return std::clamp(static_cast<double>(Elapsed(from_.at, at).count()) / span, 0.0, 1.0);
}

std::optional<double> Segment::AvailableAt(Signal signal, Instant at) const {
  const auto& to = to_.seen[signal];
  if (!to) return std::nullopt;
  const auto& from = from_.seen[signal];
  const auto end = static_cast<double>(to->available);
  return from ? Line(static_cast<double>(from->available), end, ShareAt(at)) : end;
}

double Segment::MemoryAt(PodIndex slot, Instant at) const {
  const auto from = MemoryIn(from_, slot);
  const auto to = MemoryIn(to_, slot);
  return Line(static_cast<double>(from.value_or(0)), static_cast<double>(to.value_or(0)),
              ShareAt(at));
}

Observations Segment::SeenAt(Instant at) const {
  if (at >= to_.at) return to_.seen;
  Observations seen = to_.seen;
  for (const Signal signal : kAllSignals) {
    auto& each = seen[signal];
    if (!each) continue;
    each->available = static_cast<std::int64_t>(*AvailableAt(signal, at));
    if (each->time) each->time = at;
  }
  return seen;
}

namespace {

// Over a shorter time, growth cannot be distinguished from the batches in which memory is charged.
constexpr Duration kShortest = std::chrono::milliseconds(500);

// The agent waits no longer than this for a pod that it ends.
constexpr Duration kLongestEnd = std::chrono::seconds(30);

}  // namespace

void RecordedLife::Add(std::int64_t memory, Instant at) {
  last_ = {.at = at, .memory = memory};
  if (!points_.empty() && ++skipped_ < every_) return;
  skipped_ = 0;
  points_.push_back(last_);
  if (points_.size() < kMostPoints) return;
  std::size_t kept = 0;
  for (std::size_t i = 0; i < points_.size(); i += 2) points_[kept++] = points_[i];
  points_.resize(kept);
  every_ *= 2;
}

double RecordedLife::Growth() const {
  const Point* since = &points_.front();
  for (const Point& point : points_) {
    if (Elapsed(point.at, last_.at) >= kShortest) since = &point;
  }
  const double seconds = SecondsOf(Elapsed(since->at, last_.at));
  if (seconds <= 0) return 0;
  return std::max(static_cast<double>(last_.memory - since->memory) / seconds, 0.0);
}

double RecordedLife::AmountAtAge(Duration age) const {
  const Instant at = born_ + std::max(age, Duration{0});
  if (at >= last_.at) {
    return static_cast<double>(last_.memory) + Growth() * SecondsOf(Elapsed(last_.at, at));
  }
  const auto after = std::ranges::upper_bound(points_, at, {}, &Point::at);
  const Point from = after == points_.begin() ? Point{.at = born_} : *(after - 1);
  const Point& to = after == points_.end() ? last_ : *after;
  const double share = SecondsOf(Elapsed(from.at, at)) / SecondsOf(Elapsed(from.at, to.at));
  return static_cast<double>(from.memory) + static_cast<double>(to.memory - from.memory) * share;
}

std::optional<Duration> RecordedLife::AgeWith(std::int64_t memory) const {
  const auto reached = std::ranges::find_if(points_, [&](const Point& point) {
    return point.memory >= memory || HoldsAlike(static_cast<double>(point.memory), memory);
  });
  if (reached == points_.end() || reached->at >= last_.at) return std::nullopt;
  return Elapsed(born_, reached->at);
}

bool HoldsAlike(double held, std::int64_t recorded) {
  constexpr double kShare = 0.02;
  constexpr double kLeast = 1 << 20;
  const auto amount = static_cast<double>(recorded);
  return std::abs(held - amount) <= std::max(kLeast, amount * kShare);
}

void RecordedCourse::Seen(std::int64_t memory, Instant at, std::optional<Instant> before) {
  constexpr std::int64_t kMuchLess = 2;  // half of it
  const bool was_away = !std::exchange(active_, true);
  if (ended_ && now_ != nullptr) {
    const bool has_less = memory < now_->last() / kMuchLess;
    const bool goes_on = Elapsed(now_->until(), at) > kLongestEnd;
    // Until it is gone, what it holds says nothing of how it grew.
    if (!was_away && !has_less && !goes_on) return;
    if (longest_ == nullptr || now_->age() > longest_->age()) longest_ = now_;
    now_.reset();
    ++life_;
  }
  ended_ = false;
  if (now_ == nullptr) {
    now_ = std::make_shared<RecordedLife>(before ? *before + Elapsed(*before, at) / 2 : at);
  }
  now_->Add(memory, at);
}

RepeatedLife RecordedCourse::GoingOn(std::int64_t held, Instant at) const {
  if (const auto age = longest_ != nullptr ? longest_->AgeWith(held) : std::nullopt) {
    return {.life = longest_, .born = at - *age};
  }
  return {.life = now_, .born = at - now_->age()};
}

RepeatedLife RecordedCourse::Anew(Instant at) const {
  const bool before = longest_ != nullptr && (now_ == nullptr || longest_->age() > now_->age());
  return {.life = before ? longest_ : now_, .born = at};
}

}  // namespace jettison
