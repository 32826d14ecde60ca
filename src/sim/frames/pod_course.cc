#include "sim/frames/pod_course.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <utility>

namespace jettison {
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
