#include "agent/reclaim/runtime_reclaimer.h"

#include <utility>

#include "core/units/duration.h"

namespace jettison {
namespace {

constexpr Duration kRemovalPatience = std::chrono::minutes(1);

}  // namespace

void RuntimeReclaimer::Step::End(Result<void> how) {
  stage = Stage::kDone;
  outcome = std::move(how);
}

Result<ReclaimProgress> RuntimeReclaimer::Step::Answer() const {
  if (Pending()) return ReclaimProgress::kUnderWay;
  if (!outcome) return Fail(outcome.error());
  return ReclaimProgress::kDone;
}

Result<ReclaimProgress> RuntimeReclaimer::DeleteDeadContainers() {
  if (containers_.stage != Stage::kIdle) return containers_.Answer();
  const NodeStats before = dependencies_.figures.ReadNode();
  if (dependencies_.delete_dead_containers() == 0) {
    containers_.End({});
  } else {
    containers_.stage = Stage::kUnderWay;
    settling_.emplace(before, dependencies_.clock.Now());
  }
  return containers_.Answer();
}

Result<ReclaimProgress> RuntimeReclaimer::DeleteUnusedImages() {
  if (images_.stage != Stage::kIdle) return images_.Answer();
  if (containers_.Pending()) {
    images_.stage = Stage::kWanted;
  } else {
    StartImages(dependencies_.clock.Now());
  }
  return images_.Answer();
}

void RuntimeReclaimer::StartImages(Instant now) {
  images_.stage = Stage::kUnderWay;
  images_.give_up_at = now + kRemovalPatience;
  dependencies_.images.DeleteUnused();
}

void RuntimeReclaimer::Advance(Instant now) {
  AdvanceContainers(now);
  dependencies_.images.Advance(now);
  AdvanceImages(now);
}

void RuntimeReclaimer::AdvanceContainers(Instant now) {
  if (!settling_ || now < settling_->next_look()) return;
  const NodeStats stats = dependencies_.figures.ReadNode();
  if (!settling_->Look(stats, now)) return;
  container_bytes_ += settling_->freed_bytes().value_or(0);
  settling_.reset();
  containers_.End({});
  if (images_.stage == Stage::kWanted) StartImages(now);
}

void RuntimeReclaimer::AdvanceImages(Instant now) {
  if (images_.stage != Stage::kUnderWay) return;
  if (!dependencies_.images.DeletingUnused()) {
    images_.End(dependencies_.images.deleted());
  } else if (images_.give_up_at <= now) {
    images_.End(Fail(ErrorCode::kDeadlineExceeded, "unused images are still being removed after " +
                                                       FormatDuration(kRemovalPatience)));
  }
}

std::optional<Instant> RuntimeReclaimer::NextDeadline() const {
  std::optional<Instant> next = dependencies_.images.NextDeadline();
  if (settling_) next = Earliest({next, settling_->next_look()});
  if (images_.stage == Stage::kUnderWay) next = Earliest({next, images_.give_up_at});
  return next;
}

bool RuntimeReclaimer::UnderWay() const {
  return containers_.Pending() || images_.Pending();
}

void RuntimeReclaimer::Forget() {
  for (Step* step : {&containers_, &images_}) {
    if (!step->Pending()) *step = {};
  }
}

}  // namespace jettison
