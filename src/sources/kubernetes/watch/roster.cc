#include "sources/kubernetes/watch/roster.h"

namespace jettison::kube {
namespace {

// Whether a version is not newer than the known one. Versions that cannot be compared are old only
// if they are equal.
bool IsOld(const std::string& told, const std::string& known) {
  const auto order = CompareVersions(told, known);
  return order ? *order <= 0 : told == known;
}

}  // namespace

Verdict Roster::Tell(const ObjectHead& head) {
  listed_.insert(head.uid);
  if (const auto at = objects_.find(head.uid); at != objects_.end()) {
    if (IsOld(head.resource_version, at->second.resource_version)) return Verdict::kKnown;
    at->second = head;
    return Verdict::kChanged;
  }
  if (const auto at = gone_.find(head.uid);
      at != gone_.end() && IsOld(head.resource_version, at->second)) {
    return Verdict::kKnown;
  }
  objects_.emplace(head.uid, head);
  return Verdict::kAppeared;
}

Verdict Roster::TellGone(const ObjectHead& head) {
  Remember(head);
  return objects_.erase(head.uid) == 0 ? Verdict::kKnown : Verdict::kGone;
}

void Roster::Remember(const ObjectHead& gone) {
  if (!gone_.insert_or_assign(gone.uid, gone.resource_version).second) return;
  gone_order_.push_back(gone.uid);
  if (gone_order_.size() <= kMostGone) return;
  gone_.erase(gone_order_.front());
  gone_order_.pop_front();
}

void Roster::BeginList(bool is_truth) {
  listed_.clear();
  if (!is_truth) return;
  gone_.clear();
  gone_order_.clear();
  for (auto& [uid, head] : objects_) head.resource_version.clear();
}

std::vector<ObjectHead> Roster::EndList() {
  std::vector<ObjectHead> vanished;
  for (const auto& [uid, head] : objects_) {
    if (!listed_.contains(uid)) vanished.push_back(head);
  }
  for (const ObjectHead& head : vanished) objects_.erase(head.uid);
  listed_.clear();
  return vanished;
}

}  // namespace jettison::kube
