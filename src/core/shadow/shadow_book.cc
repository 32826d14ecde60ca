#include "core/shadow/shadow_book.h"

#include <algorithm>
#include <utility>

#include "core/model/fault.h"
#include "core/shadow/shadow_pairing.h"

namespace jettison {
namespace {

bool IsOver(Instant since, Instant now) {
  return Elapsed(since, now) > ShadowBook::kWindow;
}

}  // namespace

ShadowBook::Intent* ShadowBook::Find(const ShadowSide& side) {
  const auto at = std::ranges::find_if(intents_, [&side](const Intent& intent) {
    return intent.side.pod.uid == side.pod.uid && intent.side.resource == side.resource;
  });
  return at == intents_.end() ? nullptr : &*at;
}

const ShadowBook::Intent* ShadowBook::IntentOf(const std::string& uid,
                                               const std::optional<Resource>& resource) const {
  const Intent* earliest = nullptr;
  for (const Intent& intent : intents_) {
    if (intent.side.pod.uid != uid) continue;
    if (intent.side.resource == resource) return &intent;
    if (earliest == nullptr) earliest = &intent;
  }
  return earliest;
}

ShadowBook::Intent* ShadowBook::Rival(const std::optional<Resource>& resource) {
  if (!resource) return nullptr;
  const auto at = std::ranges::find_if(intents_, [&resource](const Intent& intent) {
    return !intent.spent && intent.side.resource == resource;
  });
  return at == intents_.end() ? nullptr : &*at;
}

bool ShadowBook::WasEvicted(const std::string& uid) const {
  return std::ranges::find(evicted_, uid) != evicted_.end();
}

void ShadowBook::NoteOurs(ShadowSide side) {
  Advance(side.at);
  side.message = Shortened(side.message, kMessageBytes);
  if (side.signal) side.resource = ResourceOf(*side.signal);
  if (Intent* const known = Find(side)) {
    known->last = std::max(known->last, side.at);
    ++known->side.notes;
    return;
  }
  const bool is_paired = PairWithEarlier(side);
  if (WasEvicted(side.pod.uid)) return;
  const Instant last = side.at;
  AddIntent({.side = std::move(side), .last = last, .spent = is_paired});
}

bool ShadowBook::PairWithEarlier(const ShadowSide& ours) {
  auto earlier = std::ranges::find_if(
      kubelets_, [&ours](const ShadowSide& side) { return side.pod.uid == ours.pod.uid; });
  // If the kubelet has evicted the same pod, the choices do not differ.
  if (earlier == kubelets_.end() && ours.resource && !WasEvicted(ours.pod.uid)) {
    earlier = std::ranges::find(kubelets_, ours.resource, &ShadowSide::resource);
  }
  if (earlier == kubelets_.end()) return false;
  ShadowSide kubelets = std::move(*earlier);
  kubelets_.erase(earlier);
  Conclude(PairingOf(ours, std::move(kubelets), ours.at));
  return true;
}

void ShadowBook::NoteKubelets(ShadowSide side) {
  Advance(side.at);
  const KubeletCause cause = KubeletCauseOf(side.message);
  if (cause.is_rejection || WasEvicted(side.pod.uid)) return;
  RememberEvicted(side.pod.uid);
  side.resource = cause.resource;
  side.message = Shortened(side.message, kMessageBytes);
  const Instant at = side.at;
  if (const Intent* const ours = IntentOf(side.pod.uid, side.resource)) {
    const std::string uid = side.pod.uid;
    Conclude(PairingOf(ours->side, std::move(side), at));
    ForgetIntentsOf(uid);
  } else if (Intent* const rival = Rival(side.resource)) {
    rival->spent = true;
    Conclude(PairingOf(rival->side, std::move(side), at));
  } else {
    AddKubelets(std::move(side));
  }
}

void ShadowBook::NoteGone(const std::string& uid, Instant at) {
  Advance(at);
  for (const Intent& intent : intents_) {
    if (intent.side.pod.uid == uid) ConcludeAlone(intent, at, true);
  }
  ForgetIntentsOf(uid);
}

void ShadowBook::Advance(Instant now) {
  for (const Intent& intent : intents_) {
    if (IsOver(intent.last, now)) ConcludeAlone(intent, now);
  }
  std::erase_if(intents_, [&](const Intent& intent) { return IsOver(intent.last, now); });
  for (const ShadowSide& side : kubelets_) {
    if (IsOver(side.at, now)) ConcludeAlone(side, now);
  }
  std::erase_if(kubelets_, [&](const ShadowSide& side) { return IsOver(side.at, now); });
}

std::optional<Instant> ShadowBook::NextDeadline() const {
  std::optional<Instant> oldest;
  for (const Intent& intent : intents_) oldest = Earliest({oldest, intent.last});
  for (const ShadowSide& side : kubelets_) oldest = Earliest({oldest, side.at});
  if (!oldest) return std::nullopt;
  // Just after the window, because its end still belongs to it.
  return *oldest + kWindow + Duration(1);
}

void ShadowBook::AddIntent(Intent intent) {
  if (intents_.size() >= kMostOpen) {
    ConcludeAlone(intents_.front(), intent.side.at);
    intents_.erase(intents_.begin());
  }
  intents_.push_back(std::move(intent));
}

void ShadowBook::AddKubelets(ShadowSide side) {
  if (kubelets_.size() >= kMostOpen) {
    ConcludeAlone(kubelets_.front(), side.at);
    kubelets_.erase(kubelets_.begin());
  }
  kubelets_.push_back(std::move(side));
}

void ShadowBook::ForgetIntentsOf(const std::string& uid) {
  std::erase_if(intents_, [&uid](const Intent& intent) { return intent.side.pod.uid == uid; });
}

void ShadowBook::RememberEvicted(const std::string& uid) {
  if (evicted_.size() >= kMostEvicted) evicted_.pop_front();
  evicted_.push_back(uid);
}

void ShadowBook::Conclude(ShadowPairing pairing) {
  counters_.Count(pairing);
  if (pairings_.size() >= kMostPairings) pairings_.pop_front();
  pairings_.push_back(std::move(pairing));
}

void ShadowBook::ConcludeAlone(const Intent& ours, Instant now, bool pod_ended) {
  if (ours.spent) return;
  Conclude({.decided_at = now,
            .verdict = ShadowVerdict::kOursAlone,
            .ours = ours.side,
            .kubelets = {},
            .pod_ended = pod_ended});
}

void ShadowBook::ConcludeAlone(const ShadowSide& kubelets, Instant now) {
  Conclude({.decided_at = now,
            .verdict = ShadowVerdict::kKubeletsAlone,
            .ours = {},
            .kubelets = kubelets});
}

ShadowView ShadowBook::View(Instant now) const {
  ShadowView view{.at = now, .counters = counters_, .agreement = AgreementOf(counters_)};
  view.pairings.assign(pairings_.begin(), pairings_.end());
  for (const Intent& intent : intents_) {
    if (!intent.spent) view.open.push_back(intent.side);
  }
  view.kubelets_open = kubelets_;
  return view;
}

}  // namespace jettison
