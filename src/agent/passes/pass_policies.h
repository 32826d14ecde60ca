#pragma once

#include <memory>
#include <vector>

#include "apply/pass.h"
#include "view/node_counters.h"

namespace jettison {

// The policies of passes: the whole policy for passes with measured disk use, and one without
// storage limits for passes without. While evicted pods are awaited only hard thresholds may act,
// and then a soft one must not stand before them. All are immutable, because recorded passes refer
// to them.
class PassPolicies {
 public:
  explicit PassPolicies(PassPolicy policy);

  [[nodiscard]] const PassPolicy& operator*() const { return *full_; }
  [[nodiscard]] const PassPolicy* operator->() const { return full_.get(); }
  // `awaits`: evicted pods are awaited.
  [[nodiscard]] const std::shared_ptr<const PassPolicy>& For(PassKind kind, bool awaits) const {
    if (kind == PassKind::kFull) return awaits ? full_in_wait_ : full_;
    return awaits ? watch_in_wait_ : watch_;
  }

  // The thresholds, and the kubelet's lines below them as thresholds of their own: crossing one of
  // them is noticed alike.
  [[nodiscard]] const std::vector<Threshold>& lines() const { return lines_; }

  // Whether anybody looks at what the pods have on disk.
  [[nodiscard]] bool NeedDiskUse() const;

 private:
  std::shared_ptr<const PassPolicy> full_;
  std::shared_ptr<const PassPolicy> watch_;
  std::shared_ptr<const PassPolicy> full_in_wait_;
  std::shared_ptr<const PassPolicy> watch_in_wait_;
  std::vector<Threshold> lines_;
};

}  // namespace jettison
