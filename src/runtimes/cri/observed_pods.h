#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "kernel/readiness/lifetime.h"
#include "pods/leftovers.h"
#include "runtimes/cri/adoption.h"
#include "runtimes/cri/base/runtime_context.h"
#include "runtimes/cri/inventory.h"
#include "runtimes/cri/pods/own_pods.h"
#include "runtimes/cri/pods/pod_record.h"

namespace jettison::cri {

// Pods of an earlier agent that cannot be taken over, because their records, or the status of their
// containers, cannot be read. What runs of them goes on untouched, and the source of foreign pods
// finds it; nothing of them is deleted. While anything of such a pod runs, or may run, no pod of
// its UID is created. Only a request for one looks at it again.
class ObservedPods {
 public:
  // What takes such a pod over, or what is left of it away.
  struct Ways {
    OwnPods& pods;
    Adoption& adoption;
    Inventory& inventory;
    Leftovers& leftovers;
    // The pod is this agent's again, and foreign no longer.
    std::function<void(const std::string&)> forget;
  };

  ObservedPods(RuntimeContext& context, Ways ways) : context_(context), ways_(std::move(ways)) {}
  ObservedPods(const ObservedPods&) = delete;
  ObservedPods& operator=(const ObservedPods&) = delete;
  ~ObservedPods() = default;

  // None of them is among the agent's own.
  [[nodiscard]] bool Has(const std::string& uid) const { return observed_.contains(uid); }

  // `error` is what keeps the pod from being taken over. kInvalidArgument: what describes it is
  // damaged or missing.
  void Enter(const std::string& uid, const Sandboxes& sandboxes, const Listing& listing,
             const Error& error);
  // Whether the pod can be read; if not, it is entered.
  [[nodiscard]] bool IsReadable(const std::string& uid, const Sandboxes& sandboxes,
                                const Listing& listing);
  // A pod of such a UID is requested -> PodFailed. Its record is read again beside the loop, and
  // the next listing then settles what becomes of it.
  void Refuse(const PodPlan& plan);
  // Takes over those that are requested -> PodFound, or sets their files aside if they are damaged
  // and nothing of them runs.
  void OnListed(const Listing& listing);

 private:
  enum class Step : std::uint8_t {
    kIdle,     // nobody has requested its UID since it was looked at last
    kReading,  // its record is read
    kListing,  // and the next listing is awaited
    kBusy,     // it is being taken over or set aside
  };
  struct Observed {
    Error error;
    std::optional<std::string> sandbox = std::nullopt;  // the ID; absent: the runtime has none
    Step step = Step::kIdle;
    std::optional<PodPlan> wanted = std::nullopt;  // while it is not idle
    bool is_given = true;                          // the disk gave its record, be it damaged
  };

  [[nodiscard]] bool MayRun(const std::string& uid, const Sandboxes& sandboxes,
                            const Listing& listing) const;
  [[nodiscard]] std::string HowToEnd(const std::string& uid) const;
  void KeepFolder(const std::string& uid);
  void Settle(const std::string& uid, const Sandboxes& sandboxes, const Listing& listing);
  void TakeOver(const PodPlan& plan, const Sandboxes& sandboxes, const Listing& listing);
  void OnFound(const PodPlan& plan, const Found& found);
  // The same for a pod without a sandbox in the runtime.
  void TakeOver(const WrittenPod& written);
  void SetAside(const std::string& uid);

  RuntimeContext& context_;
  Ways ways_;
  std::map<std::string, Observed> observed_;  // by UID
  Lifetime lifetime_;
};

}  // namespace jettison::cri
