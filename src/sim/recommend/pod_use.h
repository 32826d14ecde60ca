#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "core/pods/pod_facts.h"
#include "core/recording/recording.h"

namespace jettison {

// How much memory a pod held, and for how long, in a fixed number of steps of a sixteenth of an
// octave: the room that it takes does not grow with time.
class HeldMemory {
 public:
  void Add(std::int64_t bytes, Duration time);

  // The least amount below or at which it was for that share of the time, from 0 to 1; 0 where
  // nothing is known. At most a sixteenth more than the true one.
  [[nodiscard]] std::int64_t Quantile(double share) const;
  [[nodiscard]] std::int64_t most() const { return most_; }
  [[nodiscard]] Duration time() const { return time_; }

 private:
  std::map<int, Duration> by_step_;
  std::int64_t most_ = 0;
  Duration time_{0};
};

struct PodUse {
  std::string pod;           // "namespace/name"
  std::int64_t request = 0;  // of memory, effective, as it was told last
  HeldMemory held;
};

// What the pods of a recording held. Time for which nothing is known does not count.
class PodUseBook {
 public:
  void Add(const RecordedItem& item);
  [[nodiscard]] const PodUse* Find(const std::string& uid) const;

 private:
  void AddPass(const RecordedPass& pass);

  std::unordered_map<std::string, PodUse> pods_;  // by UID
  std::optional<Instant> last_;
  std::vector<const PodFacts*> facts_;
  std::vector<ActivePod> active_;
};

}  // namespace jettison
