#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "platform/cri/foreign_pod.h"
#include "platform/cri/lifetime.h"
#include "platform/cri/listing.h"
#include "platform/cri/surroundings.h"

namespace jettison::cri {

// The pods of others on the same container runtime: sandboxes that are ready, that this agent has
// not made, and in which a container runs. What cannot be measured is left out, since it must not
// be ended either.
class ForeignPods {
 public:
  // `taken`: whether a pod of this agent has the UID.
  ForeignPods(Surroundings& surroundings, std::function<bool(const std::string&)> taken);
  ForeignPods(const ForeignPods&) = delete;
  ForeignPods& operator=(const ForeignPods&) = delete;
  ~ForeignPods() = default;

  // Compares with what the runtime has: what is new is looked at and told as PodFound, what is gone
  // as PodRemoved.
  void OnListed(const Listing& listing);
  // Something new is being looked at.
  [[nodiscard]] bool busy() const { return !asked_.empty(); }
  // Forgets those that are gone.
  void Advance();

  // Null: there is none of this UID.
  [[nodiscard]] ForeignPod* Find(const std::string& uid) const;
  // This agent makes a pod of the same UID: it is found again under another one.
  void Forget(const std::string& uid) { pods_.erase(uid); }

 private:
  // A sandbox, and what runs in it.
  struct Candidate {
    api::PodSandbox sandbox;
    std::set<std::string> running;  // IDs of containers
    std::vector<Result<api::ContainerStatusResponse>> answers;
  };
  using Candidates = std::map<std::string, Candidate>;  // by ID

  [[nodiscard]] Candidates CandidatesIn(const Listing& listing);
  [[nodiscard]] bool IsKnown(const Candidate& candidate) const;
  void Ask(Candidate candidate);
  void Consider(const Candidate& candidate);
  // The group of a container's process, relative to the node's own; fails where its figures cannot
  // be told, or where it is not its alone.
  [[nodiscard]] Result<std::string> GroupOf(const std::string& id, pid_t pid) const;
  [[nodiscard]] std::optional<std::uint64_t> MemoryLimitOf(const std::string& group) const;
  void LeaveOut(const Candidate& candidate, const std::string& why);
  void Begin(const Candidate& candidate, std::vector<ForeignContainer> containers);

  Surroundings& surroundings_;
  std::function<bool(const std::string&)> taken_;
  std::map<std::string, std::unique_ptr<ForeignPod>> pods_;  // by UID
  std::set<std::string> asked_;                              // sandboxes being looked at
  std::map<std::string, std::set<std::string>> left_out_;    // sandboxes, with what runs in them
  std::map<std::string, std::set<std::string>> complaints_;  // by sandbox: what has been said
  std::set<std::string> dead_;  // containers that have ended and may be told as running for a while
  Lifetime lifetime_;
};

}  // namespace jettison::cri
