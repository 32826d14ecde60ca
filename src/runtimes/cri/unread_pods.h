#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "kernel/readiness/lifetime.h"
#include "runtimes/cri/adoption.h"
#include "runtimes/cri/base/runtime_context.h"
#include "runtimes/cri/inventory.h"
#include "runtimes/cri/leftovers.h"
#include "runtimes/cri/pods/own_pods.h"
#include "runtimes/cri/pods/pod_descriptions.h"
#include "runtimes/cri/pods/pod_records.h"

namespace jettison::cri {

// Pods of an earlier agent whose records, or the status of whose containers, cannot be read. Their
// containers go on running, and are measured and named; nothing of them is deleted. While anything
// of such a pod runs, or may run, no pod of its UID is created.
class UnreadPods {
 public:
  // Called when such a pod can be read again, or is gone.
  struct Ways {
    OwnPods& pods;
    const PodRecords& records;
    const PodDescriptions& descriptions;
    Adoption& adoption;
    Inventory& inventory;
    Leftovers& leftovers;
    // Of whoever looks after them meanwhile: whether one was told to end; one is this agent's
    // again.
    std::function<bool(const std::string&)> is_ending;
    std::function<void(const std::string&)> forget;
  };

  UnreadPods(RuntimeContext& context, Ways ways) : context_(context), ways_(std::move(ways)) {}
  UnreadPods(const UnreadPods&) = delete;
  UnreadPods& operator=(const UnreadPods&) = delete;
  ~UnreadPods() = default;

  // None of them is among the agent's own.
  [[nodiscard]] bool Has(const std::string& uid) const { return unread_.contains(uid); }
  // Whether the sandbox is of one of them.
  [[nodiscard]] bool Owns(const api::PodSandbox& sandbox) const;

  // `error` is what keeps the pod from being read. kInvalidArgument: what describes it is damaged
  // or missing.
  void Enter(const std::string& uid, const Sandboxes& sandboxes, const Listing& listing,
             const Error& error);
  // Whether the pod can be read; if not, it is entered.
  [[nodiscard]] bool IsReadable(const std::string& uid, const Sandboxes& sandboxes,
                                const Listing& listing);
  // A pod of such a UID is requested -> PodFailed. The next listing checks what still prevents it.
  void Refuse(const PodPlan& plan);
  // Reads each of them again, and takes over those for which that works.
  void OnListed(const Listing& listing);

 private:
  struct Unread {
    Error error;
    std::optional<std::string> sandbox = std::nullopt;  // the ID; absent: the runtime has none
    std::optional<PodPlan> wanted = std::nullopt;       // since the last listing, of this UID
    bool asked = false;                                 // it is about to be taken over
    bool is_moving = false;                             // its files are being set aside
  };

  [[nodiscard]] bool MayRun(const std::string& uid, const Sandboxes& sandboxes,
                            const Listing& listing) const;
  [[nodiscard]] std::string HowToEnd(const std::string& uid) const;
  void KeepFolder(const std::string& uid);
  void Tend(const std::string& uid, const Sandboxes& sandboxes, const Listing& listing);
  void TakeOver(const PodPlan& plan, const Sandboxes& sandboxes, const Listing& listing);
  void OnFound(const PodPlan& plan, const Found& found);
  void Recall(const std::string& uid);
  void TakeOverFiles(const PodPlan& plan);
  void Quarantine(const std::string& uid);
  // `place`: where the files are now; empty: there were none.
  void OnQuarantined(const std::string& uid, const Result<void>& moved, const std::string& place);

  RuntimeContext& context_;
  Ways ways_;
  std::map<std::string, Unread> unread_;  // by UID
  Lifetime lifetime_;
};

}  // namespace jettison::cri
