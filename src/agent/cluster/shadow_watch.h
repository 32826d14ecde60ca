#pragma once

#include <memory>
#include <optional>
#include <set>
#include <string>

#include "core/pass/pass.h"
#include "core/shadow/shadow_book.h"
#include "core/units/duration.h"
#include "ports/clock.h"
#include "sources/kubernetes/objects/api_objects.h"

namespace jettison {

// Compares the evictions of a dry run with those of the kubelet. Nothing here waits.
class ShadowWatch {
 public:
  // The clock must outlive it.
  explicit ShadowWatch(const Clock& clock) : clock_(clock), began_(clock.Now()) {}

  // A pass that has evicted, or would have.
  void TakePass(const RecordedPass& pass);
  // A pod appeared or changed; `has_listed`: after the first list. Its end counts once, and not
  // where the first list showed it.
  void TakePod(const kube::ApiPod& pod, bool has_listed);
  void TakeGone(const kube::ObjectHead& head);

  void Advance(Instant now) { book_.Advance(now); }
  [[nodiscard]] std::optional<Instant> NextDeadline() const { return book_.NextDeadline(); }
  [[nodiscard]] std::shared_ptr<const ShadowView> View(Instant now) const {
    return std::make_shared<const ShadowView>(book_.View(now));
  }

 private:
  const Clock& clock_;
  Instant began_;
  ShadowBook book_;
  std::set<std::string> ended_;  // UIDs of pods that are there
};

}  // namespace jettison
