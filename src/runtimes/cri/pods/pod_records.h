#pragma once

#include <functional>
#include <string>
#include <vector>

#include "ports/pod_plan.h"
#include "runtimes/cri/base/runtime_context.h"
#include "runtimes/cri/pods/pod_record.h"

namespace jettison::cri {

// The plan of a pod, as it is made today, and what was written down of it.
struct WrittenPod {
  PodPlan plan;
  PodRecord record;
};

// What an agent before this one has written down of its pods.
class PodRecords {
 public:
  explicit PodRecords(const RuntimeContext& context) : context_(context) {}

  // kNotFound: none was written; kInvalidArgument: it is damaged.
  [[nodiscard]] Result<WrittenPod> Read(const std::string& uid) const;
  // All that can be read, but for those that are `known`; of the others the log tells.
  [[nodiscard]] std::vector<WrittenPod> ReadAll(
      const std::function<bool(const std::string&)>& known) const;
  // The plan of the pod that a text describes. kInvalidArgument: there is none, or it is another
  // one.
  [[nodiscard]] Result<PodPlan> Parse(const std::string& text, const std::string& uid) const;

 private:
  const RuntimeContext& context_;
};

}  // namespace jettison::cri
