#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "runtimes/cri/base/runtime_context.h"
#include "runtimes/cri/containers/log_rotation.h"
#include "runtimes/cri/pods/pod_actor.h"

namespace jettison::cri {

// The pods that this agent has on the runtime.
class OwnPods {
 public:
  using Actors = std::map<std::string, std::unique_ptr<PodActor>>;  // by UID
  using OnGone = std::function<void(const std::string& uid, const PodActor& pod)>;

  explicit OwnPods(RuntimeContext& context) : context_(context) {}
  OwnPods(const OwnPods&) = delete;
  OwnPods& operator=(const OwnPods&) = delete;
  ~OwnPods() = default;

  // Of this UID; null: there is none.
  [[nodiscard]] PodActor* Find(const std::string& uid) const;
  [[nodiscard]] bool Has(const std::string& uid) const { return actors_.contains(uid); }
  [[nodiscard]] const Actors& actors() const { return actors_; }

  PodActor& Add(PodPlan plan);
  PodActor& Add(std::unique_ptr<PodActor> actor);
  // Makes it.
  void Create(const PodPlan& plan);
  // Takes the next steps of each pod. A pod that is gone is passed to `gone` and forgotten.
  void Advance(const OnGone& gone);

  // IDs of sandboxes and containers that the runtime must have.
  [[nodiscard]] std::set<std::string, std::less<>> KnownIds() const;
  [[nodiscard]] std::vector<RunningLog> RunningLogs() const;
  void WriteRecords() const;
  // Those that could not be written before.
  void WriteMissedRecords() const;
  // Of those that have changed by these events in a way that counts for an agent after this one.
  void WriteRecordsAfter(const std::vector<RuntimeEvent>& events) const;

 private:
  RuntimeContext& context_;
  Actors actors_;
  // Attempts of sandboxes of pods that could not be made, whose names may still be taken.
  std::map<std::string, std::uint32_t> first_attempts_;
};

}  // namespace jettison::cri
