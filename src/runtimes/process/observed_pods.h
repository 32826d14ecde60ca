#pragma once

#include <functional>
#include <string>

#include "pods/observed_pods.h"
#include "ports/container_runtime.h"
#include "runtimes/process/adoption.h"
#include "runtimes/process/runs/runtime_context.h"

namespace jettison::process {

// Those of this runtime.
class ObservedPods : public jettison::ObservedPods {
 public:
  // All must outlive this.
  ObservedPods(RuntimeContext& context, Adoption& adoption)
      : jettison::ObservedPods(context), context_(context), adoption_(adoption) {}

  void Enter(const std::string& uid, const Error& error);

 private:
  [[nodiscard]] std::function<Reading()> Reader(const std::string& uid) const override;
  [[nodiscard]] Result<RuntimePod> TakeOver(const PodPlan& wanted,
                                            const Result<void>& record) override;
  // Writes the record anew.
  void Mend(const Pod& pod);

  RuntimeContext& context_;
  Adoption& adoption_;
};

}  // namespace jettison::process
