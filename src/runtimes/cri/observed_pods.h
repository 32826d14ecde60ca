#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "pods/leftovers.h"
#include "pods/observed_pods.h"
#include "runtimes/cri/containers/runtime_context.h"
#include "runtimes/cri/inventory.h"
#include "runtimes/cri/own_pods.h"
#include "runtimes/cri/pod_record.h"

namespace jettison::cri {

// Those of this runtime. The source of foreign pods finds what runs of them.
class ObservedPods : public jettison::ObservedPods {
 public:
  // What takes such a pod over, or what is left of it away.
  struct Ways {
    OwnPods& pods;
    Inventory& inventory;
    Leftovers& leftovers;
    // The pod is this agent's again, and foreign no longer.
    std::function<void(const std::string&)> forget;
  };

  ObservedPods(RuntimeContext& context, Ways ways)
      : jettison::ObservedPods(context), context_(context), ways_(std::move(ways)) {}

  // `error` is what keeps the pod from being taken over. kInvalidArgument: what describes it is
  // damaged or missing.
  void Enter(const std::string& uid, const Sandboxes& sandboxes, const Listing& listing,
             const Error& error);
  // Whether the pod can be read; if not, it is entered.
  [[nodiscard]] bool IsReadable(const std::string& uid, const Sandboxes& sandboxes,
                                const Listing& listing);
  // The newest listing says what the runtime has of them.
  void OnListed(const Listing& listing);

 private:
  [[nodiscard]] std::function<Reading()> Reader(const std::string& uid) const override;
  [[nodiscard]] Result<RuntimePod> TakeOver(const PodPlan& wanted,
                                            const Result<void>& record) override;
  [[nodiscard]] std::string HowToEnd(const std::string& uid) const override;
  [[nodiscard]] bool MayRun(const std::string& uid) const override;
  void OnSetAside(const std::string& uid) override;
  [[nodiscard]] Sandboxes SandboxesOf(const std::string& uid) const;
  // Asks for the exit codes of their containers, which no listing has.
  void AskHowTheyEnded();
  [[nodiscard]] Result<RuntimePod> TakeOver(const PodPlan& plan, const Sandboxes& sandboxes);
  void KeepFolder(const std::string& uid);

  RuntimeContext& context_;
  Ways ways_;
  Listing listing_;  // the newest
  // Of containers that have ended, by ID; absent: the runtime has been asked.
  std::map<std::string, std::optional<api::ContainerStatusResponse>> ended_;
};

}  // namespace jettison::cri
