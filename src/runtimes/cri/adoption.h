#pragma once

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "pods/adoption.h"
#include "pods/leftovers.h"
#include "runtimes/cri/containers/runtime_context.h"
#include "runtimes/cri/inventory.h"
#include "runtimes/cri/own_pods.h"
#include "runtimes/cri/pod_record.h"

namespace jettison::cri {

// By what the container runtime reports, and by the records on disk. The source of foreign pods
// finds what runs of observed pods.
class Adoption : public jettison::Adoption {
 public:
  // What takes such a pod over, or what is left of it away.
  struct Ways {
    OwnPods& pods;
    Inventory& inventory;
    Leftovers& leftovers;
    // The pod is this agent's again, and foreign no longer.
    std::function<void(const std::string&)> forget;
  };

  Adoption(RuntimeContext& context, Ways ways)
      : jettison::Adoption(context, ways.leftovers), context_(context), ways_(std::move(ways)) {}

  // Takes over all pods that the runtime has, that it had, and of which the folders tell.
  [[nodiscard]] std::vector<RuntimePod> TakeOverAll(const Found& found);
  // Whether an earlier creation of the pod may still be under way in the container runtime.
  [[nodiscard]] bool IsUnsettled(const std::string& uid) const { return unsettled_.contains(uid); }
  // Whether the pod can be read; if not, it is observed.
  [[nodiscard]] bool IsReadable(const std::string& uid, const Listing& listing);
  // The newest listing says what the runtime has.
  void OnListed(const Listing& listing);

 private:
  [[nodiscard]] bool IsOwn(const std::string& uid) const override { return ways_.pods.Has(uid); }
  [[nodiscard]] std::string RecordOf(const std::string& uid) const override;
  [[nodiscard]] Result<PodPlan> ReadPlan(const std::string& uid) const override;
  [[nodiscard]] Result<RuntimePod> TakeOver(const PodPlan& plan, const Error* unread) override;
  void Enter(const std::string& uid, const Error& error) override;
  void Settle(const std::string& uid) override;
  [[nodiscard]] std::string NameOf(const std::string& uid) const override;
  [[nodiscard]] std::string HowToEnd(const std::string& uid) const override;
  [[nodiscard]] bool MayRun(const std::string& uid) const override;
  void OnSetAside(const std::string& uid) override;

  [[nodiscard]] Sandboxes SandboxesOf(const std::string& uid) const;
  // Asks for the exit codes of their containers, which no listing has.
  void AskHowTheyEnded();
  [[nodiscard]] Result<RuntimePod> TakeOverListed(const PodPlan& plan, const Sandboxes& sandboxes);
  void KeepFolder(const std::string& uid);

  RuntimeContext& context_;
  Ways ways_;
  Listing listing_;  // the newest
  // Pods without a record whose creation may still be under way in the runtime.
  std::set<std::string> unsettled_;
  // Of containers that have ended, by ID; absent: the runtime has been asked.
  std::map<std::string, std::optional<api::ContainerStatusResponse>> ended_;
};

}  // namespace jettison::cri
