#pragma once

#include <memory>
#include <optional>
#include <string>

#include "agent/loop/background_thread.h"

namespace jettison {

// Writes the known pods of the node to disk (KnownPods) on a thread of its own, of each pod only
// its latest state. So nobody waits for a disk, least of all who tells the API server of an
// eviction.
class KnownPodsWriter {
 public:
  explicit KnownPodsWriter(const std::string& folder);
  KnownPodsWriter(const KnownPodsWriter&) = delete;
  KnownPodsWriter& operator=(const KnownPodsWriter&) = delete;
  // Does not wait for the thread. What has not been written yet is dropped.
  ~KnownPodsWriter();

  // These never wait. `json`: the pod's object.
  void Keep(const std::string& uid, std::string json);
  void Forget(const std::string& uid);

 private:
  struct Shared;
  void Put(const std::string& uid, std::optional<std::string> json);

  std::shared_ptr<Shared> shared_;  // with the thread
  BackgroundThread thread_;
};

}  // namespace jettison
