#pragma once

#include <memory>

#include "act/pass.h"
#include "view/node_counters.h"

namespace jettison {

// The policies of passes: the whole policy for passes with measured disk use, and one without
// storage limits for passes without. Both are immutable, because recorded passes refer to them.
class PassPolicies {
 public:
  explicit PassPolicies(PassPolicy policy);

  [[nodiscard]] const PassPolicy& operator*() const { return *full_; }
  [[nodiscard]] const PassPolicy* operator->() const { return full_.get(); }
  [[nodiscard]] const std::shared_ptr<const PassPolicy>& For(PassKind kind) const {
    return kind == PassKind::kFull ? full_ : watch_;
  }

  // Whether anybody looks at what the pods have on disk.
  [[nodiscard]] bool NeedDiskUse() const;

 private:
  std::shared_ptr<const PassPolicy> full_;
  std::shared_ptr<const PassPolicy> watch_;
};

}  // namespace jettison
