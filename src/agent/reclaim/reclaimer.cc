#include "agent/reclaim/reclaimer.h"

#include <fmt/format.h>

#include <chrono>
#include <string_view>
#include <utility>

#include "agent/reclaim/image_collector.h"
#include "core/units/duration.h"

namespace jettison {
namespace {

constexpr Duration kBetweenLooks = std::chrono::milliseconds(200);
constexpr Duration kQuiet = std::chrono::seconds(1);
constexpr Duration kSettlingPatience = std::chrono::seconds(10);

std::optional<std::uint64_t> ImageBytes(const NodeStats& stats) {
  return stats.image_fs ? stats.image_fs->available_bytes : std::nullopt;
}

constexpr Duration kRemovalPatience = std::chrono::minutes(1);

Result<void> TooSlow(std::string_view what) {
  return Fail(ErrorCode::kDeadlineExceeded, fmt::format("{} are still being removed after {}", what,
                                                        FormatDuration(kRemovalPatience)));
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

void Reclaimer::Step::End(Result<void> how) {
  stage = Stage::kDone;
  outcome = std::move(how);
}

Result<ReclaimProgress> Reclaimer::Step::Answer() const {
  if (Pending()) return ReclaimProgress::kUnderWay;
  if (!outcome) return Fail(outcome.error());
  return ReclaimProgress::kDone;
}

Result<ReclaimProgress> Reclaimer::DeleteDeadContainers() {
  if (containers_.stage != Stage::kIdle || !dependencies_.delete_dead_containers) {
    return containers_.Answer();
  }
  const NodeStats before = dependencies_.figures.ReadNode();
  if (dependencies_.delete_dead_containers() == 0 && !dependencies_.is_removing()) {
    containers_.End({});
  } else {
    const Instant now = dependencies_.clock.Now();
    containers_.stage = Stage::kUnderWay;
    containers_.give_up_at = now + kRemovalPatience;
    settling_.emplace(before, now);
  }
  return containers_.Answer();
}

Result<ReclaimProgress> Reclaimer::DeleteUnusedImages() {
  if (images_.stage != Stage::kIdle || dependencies_.images == nullptr) return images_.Answer();
  if (containers_.Pending()) {
    images_.stage = Stage::kWanted;
  } else {
    StartImages(dependencies_.clock.Now());
  }
  return images_.Answer();
}

void Reclaimer::StartImages(Instant now) {
  images_.stage = Stage::kUnderWay;
  images_.give_up_at = now + kRemovalPatience;
  dependencies_.images->DeleteUnused();
}

void Reclaimer::Advance(Instant now) {
  AdvanceContainers(now);
  if (dependencies_.images == nullptr) return;
  dependencies_.images->Advance(now);
  AdvanceImages(now);
}

void Reclaimer::AdvanceContainers(Instant now) {
  if (!settling_ || now < settling_->next_look()) return;
  const NodeStats stats = dependencies_.figures.ReadNode();
  const bool is_settled = settling_->Look(stats, now);
  const bool is_over = is_settled && !dependencies_.is_removing();
  if (!is_over && now < containers_.give_up_at) return;
  container_bytes_ += settling_->freed_bytes().value_or(0);
  settling_.reset();
  containers_.End(is_over ? Result<void>() : TooSlow("dead containers"));
  if (images_.stage == Stage::kWanted) StartImages(now);
}

void Reclaimer::AdvanceImages(Instant now) {
  if (images_.stage != Stage::kUnderWay) return;
  if (!dependencies_.images->DeletingUnused()) {
    images_.End(dependencies_.images->deleted());
  } else if (images_.give_up_at <= now) {
    images_.End(TooSlow("unused images"));
  }
}

std::optional<Instant> Reclaimer::NextDeadline() const {
  std::optional<Instant> next;
  if (dependencies_.images != nullptr) next = dependencies_.images->NextDeadline();
  if (settling_) next = Earliest({next, settling_->next_look()});
  if (images_.stage == Stage::kUnderWay) next = Earliest({next, images_.give_up_at});
  return next;
}

bool Reclaimer::UnderWay() const {
  return containers_.Pending() || images_.Pending();
}

void Reclaimer::Forget() {
  for (Step* step : {&containers_, &images_}) {
    if (!step->Pending()) *step = {};
  }
}

}  // namespace jettison
