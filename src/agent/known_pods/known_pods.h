#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/units/result.h"
#include "sources/kubernetes/objects/api_pod.h"

namespace jettison {

// The last known pods of the node from the API server, on disk. An agent that starts while the API
// server cannot be reached uses these. Each pod has a file named after its UID in one folder. A pod
// that cannot be written is only missing after a restart.
class KnownPods {
 public:
  explicit KnownPods(std::string folder) : folder_(std::move(folder)) {}

  // Reads the pods that were kept. Files that cannot be read are skipped and not changed.
  [[nodiscard]] std::vector<kube::ApiPod> Load() const;
  // `json`: the pod's object. Replaces the file whole or not at all.
  [[nodiscard]] Result<void> Keep(const std::string& uid, std::string_view json) const;
  void Forget(const std::string& uid) const;

 private:
  [[nodiscard]] std::string PathOf(const std::string& uid) const;

  std::string folder_;
};

}  // namespace jettison
