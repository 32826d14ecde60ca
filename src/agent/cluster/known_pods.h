#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/units/result.h"
#include "sources/kubernetes/objects/api_pod.h"

namespace jettison {

// The pods of the node as the API server told them last, on disk: an agent that starts while it is
// away goes on with these. A file a pod, named after its UID, in a folder of their own. What cannot
// be written is missing after a restart, no more.
class KnownPods {
 public:
  explicit KnownPods(std::string folder) : folder_(std::move(folder)) {}

  // Those of an earlier life. What cannot be read is left where it is, and left out.
  [[nodiscard]] std::vector<kube::ApiPod> Load() const;
  // `json`: the pod's object. Replaces the file whole or not at all.
  [[nodiscard]] Result<void> Keep(const std::string& uid, std::string_view json) const;
  void Forget(const std::string& uid) const;

 private:
  [[nodiscard]] std::string PathOf(const std::string& uid) const;

  std::string folder_;
};

}  // namespace jettison
