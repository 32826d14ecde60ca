#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/explain/explain.h"
#include "core/pass/pass.h"
#include "core/units/duration.h"
#include "machine/loop/job_queue.h"

namespace jettison {

// The explanation of an eviction as text, with the members by which it is listed and searched. All
// other members are also part of `json`.
struct PastEviction {
  std::uint64_t number = 0;  // counts from 1 since the agent's start
  std::string id;            // "ev-<number>"
  Instant at;
  PodIdentity pod;
  std::string signal;   // "memory.available"; empty: the pod broke a limit of local storage
  std::string summary;  // one line
  std::string message;  // of the pod's status
  bool dry_run = false;
  std::string text;  // the explanation for people
  std::string json;  // the explanation as a JSON object, a newline at its end
};

// The last evictions, oldest first.
using PastEvictions = std::vector<std::shared_ptr<const PastEviction>>;

// "ev-12", and back; 0 where the text is no such id.
[[nodiscard]] std::string EvictionId(std::uint64_t number);
[[nodiscard]] std::uint64_t EvictionNumber(std::string_view id);

// Keeps the explanations of the last evictions since the agent's start. They are made beside the
// loop. The agent's recording outlives it.
class EvictionHistory {
 public:
  // Explains with these options, the ID and the pod aside, and keeps so many.
  explicit EvictionHistory(ExplainOptions options, std::size_t most = 100)
      : options_(std::move(options)), most_(most) {}

  // Takes a pass that evicted. Never waits. In a dry run a pod that is chosen again and again for
  // the same reason counts once.
  void Add(std::shared_ptr<const RecordedPass> pass);
  // On any thread; never null.
  [[nodiscard]] std::shared_ptr<const PastEvictions> Evictions() const;

 private:
  void Keep(const RecordedPass& pass, const std::string& uid);

  const ExplainOptions options_;
  const std::size_t most_;
  mutable std::mutex mutex_;  // guards what follows
  std::shared_ptr<const PastEvictions> kept_ = std::make_shared<PastEvictions>();
  std::uint64_t last_number_ = 0;

  JobQueue explanations_{Threads::kSpare};
};

}  // namespace jettison
