#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "agent/edges/eviction_listener.h"
#include "agent/log/log.h"
#include "agent/loop/mailbox.h"
#include "agent/tell/hook_budget.h"
#include "agent/tell/hook_message.h"
#include "agent/tell/hook_thread.h"
#include "core/config/agent_config.h"
#include "core/model/eviction_order.h"
#include "core/model/signal.h"
#include "core/units/duration.h"
#include "core/units/result.h"

namespace jettison {

// Tells the configured programs and addresses what happens on the node. Nothing here waits: hooks
// are called beside the loop, and one that is called too often or hangs misses notices, which the
// log says.
class Hooks : public EvictionListener {
 public:
  using NameOfPod = std::function<std::string(std::string_view uid)>;

  // `name_of_pod`: "namespace/name" of a pod on the node.
  Hooks(const std::vector<HookConfig>& hooks, std::string node, bool dry_run,
        NameOfPod name_of_pod);
  Hooks(const Hooks&) = delete;
  Hooks& operator=(const Hooks&) = delete;
  // Stops them all and then waits half a second in all for those that are being called.
  ~Hooks() override;

  // Others from now on. Those before are still told what waits for them.
  void Replace(const std::vector<HookConfig>& hooks);

  void ConditionsChanged(NodeConditions before, NodeConditions after, Instant now);
  void Evicting(const EvictionOrder& order, const Result<EvictOutcome>& outcome,
                Instant now) override;
  // A pod has just been told to end.
  void Evicting(const EvictionOrder& order, Instant now);
  // It could not be told.
  void NotEvicting(const EvictionOrder& order);
  // The wait for pods to be gone is over; told of each that Evicting was told of.
  void CleanedUp(bool all_gone, Instant now);

  // Readable when there are failures to log.
  [[nodiscard]] int fd() const { return failures_->fd(); }
  void LogFailures(const Log& log);

 private:
  struct Hook {
    HookConfig config;
    HookBudget budget;
    std::unique_ptr<HookThread> thread;
  };
  struct Evicted {
    std::string pod;
    EvictionOrder order;
  };
  [[nodiscard]] NoticeHead Head(Instant now) const { return {now, node_, dry_run_}; }
  void Tell(Occasion occasion, const std::string& notice, Instant now);
  void RetireAll();

  std::string node_;
  bool dry_run_;
  NameOfPod name_of_pod_;
  // With the threads, which put into it.
  std::shared_ptr<Mailbox<HookFailure>> failures_ = std::make_shared<Mailbox<HookFailure>>();
  std::vector<Hook> hooks_;
  std::vector<std::unique_ptr<HookThread>> retired_;  // until they have told everything
  std::vector<Evicted> evicted_;                      // and not cleaned up yet
};

}  // namespace jettison
