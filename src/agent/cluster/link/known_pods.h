#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "core/units/result.h"
#include "machine/loop/job_queue.h"
#include "sources/kubernetes/objects/api_pod.h"

namespace jettison {

// The last known pods of the node from the API server, on disk. An agent that starts while the API
// server cannot be reached uses these. Each pod has a file named after its UID in one folder. They
// are written beside the caller, of each pod only its latest state, so nobody waits for a disk,
// least of all who tells the API server of an eviction. A pod that cannot be written is tried again
// with the next change. Its end waits for nothing: what has not been written yet is dropped.
class KnownPods {
 public:
  // `on_fault` is told why a pod cannot be written: once, until everything has been written. It is
  // called on another thread and must own what it uses.
  KnownPods(std::string folder, std::function<void(Error)> on_fault);

  // Reads the pods that were kept; waits for the disk. Files that cannot be read are skipped and
  // not changed.
  [[nodiscard]] std::vector<kube::ApiPod> Load() const;
  // `json`: the pod's object. Replaces the file whole or not at all.
  void Keep(const std::string& uid, std::string json);
  void Forget(const std::string& uid);

 private:
  struct Shared;
  void Put(const std::string& uid, std::shared_ptr<const std::string> json);

  std::shared_ptr<Shared> shared_;  // with the jobs
  JobQueue writes_{Threads::kFiles, AtEnd::kLeave};
};

}  // namespace jettison
