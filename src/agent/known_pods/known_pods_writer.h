#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>

#include "agent/loop/job_queue.h"
#include "core/units/duration.h"
#include "core/units/result.h"

namespace jettison {

// Writes the known pods of the node to disk (KnownPods) beside its caller, of each pod only its
// latest state. So nobody waits for a disk, least of all who tells the API server of an eviction.
// Its end waits for nothing: what has not been written yet is dropped.
class KnownPodsWriter {
 public:
  explicit KnownPodsWriter(const std::string& folder);

  // How often it is tried to write what could not be written.
  static constexpr Duration kTryAgainEvery = std::chrono::minutes(1);

  // These never wait. `json`: the pod's object.
  void Keep(const std::string& uid, std::string json);
  void Forget(const std::string& uid);
  // Tries again what could not be written, when that is due. When it is to be called again; absent:
  // everything is written.
  std::optional<Instant> Advance(Instant now);
  // Why a pod could not be written: once, until everything has been written.
  [[nodiscard]] std::optional<Error> TakeComplaint();

 private:
  struct Shared;
  void Put(const std::string& uid, std::shared_ptr<const std::string> json);

  std::shared_ptr<Shared> shared_;  // with the jobs
  std::optional<Instant> try_at_;
  JobQueue writes_{Threads::kFiles, AtEnd::kLeave};
};

}  // namespace jettison
