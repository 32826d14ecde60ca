#pragma once

#include <functional>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "containers/cri_container.h"
#include "kernel/readiness/lifetime.h"
#include "pods/run_dependencies.h"
#include "rpc/calls.h"
#include "sources/containerd/foreign_tasks.h"
#include "sources/foreign/foreign_group.h"
#include "sources/foreign/foreign_roster.h"
#include "sources/foreign/found_foreign_pod.h"

namespace jettison::cri {

// The CRI sandbox to which a pod's containers belong.
class CriSandbox : public PodKeeper {
 public:
  // `calls` must outlive it.
  CriSandbox(Calls& calls, std::string id) : calls_(calls), id_(std::move(id)) {}

  void TakeDown(Duration deadline, Done done) override {
    api::StopPodSandboxRequest request;
    request.set_pod_sandbox_id(id_);
    calls_.Make(kStopPodSandbox, request, deadline,
                [done = std::move(done)](const Result<api::StopPodSandboxResponse>& answer) {
                  done(answer ? Result<void>() : Fail(answer.error()));
                });
  }
  [[nodiscard]] std::string_view HowItEnds() const override { return "stop the sandbox"; }

 private:
  Calls& calls_;
  std::string id_;
};

// What a sandbox of CRI says of its pod; the key is its ID.
[[nodiscard]] ForeignIdentity IdentityOf(const api::PodSandbox& sandbox);

// What CRI says of a container; what the kernel knows of it is left open.
[[nodiscard]] ForeignContainer ContainerFor(const api::ContainerStatus& status);

// Which sandboxes are looked at.
struct ContainerdRules {
  std::string root;    // this agent's, as its sandboxes carry it
  bool adopt = false;  // whether those are looked at that it has not made
  // Whether this agent's runtime has a pod of the UID. Sandboxes of this root whose pod it has not
  // taken over are looked at in any case; they are measured and never evicted.
  std::function<bool(const std::string&)> has;
};

// Finds the foreign pods that were created through CRI: ready sandboxes which this agent has not
// made and in which a container runs. A pod that cannot be measured is left out, because it must
// not be evicted either.
class ForeignSandboxes {
 public:
  ForeignSandboxes(const FinderDependencies& dependencies, ContainerdRules rules)
      : dependencies_(dependencies), rules_(std::move(rules)), complaints_(dependencies.run) {}
  ForeignSandboxes(const ForeignSandboxes&) = delete;
  ForeignSandboxes& operator=(const ForeignSandboxes&) = delete;
  ~ForeignSandboxes() = default;

  // Compares what is known with a listing of the runtime. A new sandbox is examined and handed to
  // the roster; the roster also learns which sandboxes still run.
  void OnListed(const Listing& listing);
  // Whether a new sandbox is being examined.
  [[nodiscard]] bool busy() const { return !asked_.empty(); }
  void AddNotGuarded(std::vector<std::string>& pods) const {
    for (const auto& [id, left_out] : left_out_) pods.push_back(left_out.why);
  }

 private:
  // A sandbox, and what runs in it.
  struct Candidate {
    api::PodSandbox sandbox;
    bool own = false;               // of this root
    std::set<std::string> running;  // IDs of containers
    std::vector<Result<api::ContainerStatusResponse>> answers;
  };
  using Candidates = std::map<std::string, Candidate>;  // by ID
  struct LeftOut {
    std::set<std::string> running;  // IDs of containers
    std::string why;                // a sentence
  };

  [[nodiscard]] Candidates CandidatesIn(const Listing& listing) const;
  [[nodiscard]] bool IsKnown(const Candidate& candidate) const;
  void Ask(Candidate candidate);
  void Consider(const Candidate& candidate);
  // The container that an answer tells of; kNotFound: it does not run any more.
  [[nodiscard]] Result<ForeignContainer> ContainerIn(
      const Candidate& candidate, const api::ContainerStatusResponse& answer) const;
  [[nodiscard]] static std::string Described(const Candidate& candidate);
  void SayRefused(const Candidate& candidate, const std::string& why);
  void LeaveOut(const Candidate& candidate, const std::string& why);

  FinderDependencies dependencies_;
  ContainerdRules rules_;
  Complaints complaints_;                    // by sandbox
  std::set<std::string> asked_;              // sandboxes being looked at
  std::map<std::string, LeftOut> left_out_;  // by sandbox
  Lifetime lifetime_;
};

// Finds the foreign pods on a container runtime, whether they were created through CRI or not, and
// pods of an earlier agent that this one has not taken over.
class ContainerdSource : public ForeignSource {
 public:
  // `calls` must outlive it.
  ContainerdSource(Calls& calls, const SourceDependencies& dependencies,
                   const ContainerdRules& rules);

  // Compares what is known with a listing of the runtime: a new pod is examined and handed to the
  // roster, and a missing one is reported as PodRemoved.
  void OnListed(const Listing& listing);
  void Await(Duration patience) override;
  [[nodiscard]] std::vector<std::string> NotGuarded() const override;

 private:
  Calls& calls_;
  bool adopt_;
  ForeignSandboxes sandboxes_;
  ForeignTasks tasks_;
};

}  // namespace jettison::cri
