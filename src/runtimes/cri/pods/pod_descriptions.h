#pragma once

#include <map>
#include <string>
#include <vector>

#include "containers/listing.h"
#include "runtimes/cri/base/runtime_context.h"
#include "runtimes/cri/pods/pod_records.h"

namespace jettison::cri {

// Sandboxes of one pod, of which the first one counts: one that is ready, then the newest.
using Sandboxes = std::vector<const api::PodSandbox*>;

// Those that this agent made, by the UID of their pod.
[[nodiscard]] std::map<std::string, Sandboxes> OwnSandboxes(const RuntimeContext& context,
                                                            const Listing& listing);

// Reads the description of a pod, which each of its sandboxes and its record contain. One readable
// copy is enough.
class PodDescriptions {
 public:
  PodDescriptions(const RuntimeContext& context, const PodRecords& records)
      : context_(context), records_(records) {}

  // kInvalidArgument: what describes the pod is damaged or missing.
  [[nodiscard]] Result<PodPlan> Read(const std::string& uid, const Sandboxes& sandboxes) const;
  [[nodiscard]] bool IsInHostNetwork(const api::PodSandbox& sandbox) const;

 private:
  const RuntimeContext& context_;
  const PodRecords& records_;
};

}  // namespace jettison::cri
