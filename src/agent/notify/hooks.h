#pragma once

#include <algorithm>
#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "agent/dependencies/dependencies.h"
#include "core/config/agent_config.h"
#include "core/model/eviction_order.h"
#include "core/model/signal.h"
#include "core/units/duration.h"
#include "core/units/result.h"
#include "machine/log/log.h"
#include "machine/loop/job_queue.h"
#include "ports/mailbox.h"

namespace jettison {

// What a hook is told: one object of JSON on a program's standard input, or as the body of a POST.
//
//   {"apiVersion": "jettison.io/v1alpha1", "kind": "Notice", "type": "BeforeEviction",
//    "time": "2026-01-02T03:04:05Z", "node": "node-1", "dryRun": false,
//    "pod": {"namespace": ..., "name": ..., "uid": ...},
//    "eviction": {"reason": ..., "message": ..., "gracePeriodSeconds": 1, "annotations": {...}}}
//
// A ConditionChange has "condition" (type, status, reason, message) instead of pod and eviction; an
// AfterEviction says "cleanedUp": whether nothing of the pod is left on the node.

// What every notice says.
struct NoticeHead {
  Instant at;
  std::string_view node;
  bool dry_run = false;
};

[[nodiscard]] std::string ConditionNotice(const NoticeHead& head, NodeConditionType type,
                                          bool status);
// `pod`: "namespace/name".
[[nodiscard]] std::string BeforeEvictionNotice(const NoticeHead& head, std::string_view pod,
                                               const EvictionOrder& order);
[[nodiscard]] std::string AfterEvictionNotice(const NoticeHead& head, std::string_view pod,
                                              const EvictionOrder& order, bool cleaned_up);

// How often a hook may be called: a few times in a row, and then once an interval.
class HookBudget {
 public:
  explicit HookBudget(Duration interval, int burst = 10) : interval_(interval), burst_(burst) {}

  // Whether one may be made at `now`, which it then is.
  [[nodiscard]] bool Take(Instant now) {
    // Each call uses up one interval; as many as make a burst may be ahead of the clock.
    const Instant used_up = std::max(used_up_to_, now) + interval_;
    if (used_up - now > burst_ * interval_) return false;
    used_up_to_ = used_up;
    return true;
  }

 private:
  Duration interval_;
  int burst_;
  Instant used_up_to_;
};

// A notice that was not delivered, and why.
struct HookFailure {
  std::string hook;
  std::string problem;
};

// Delivers notices to one hook, one after the other, beside the loop, because a hook may hang until
// its time limit; the next hook has its turn after each. The destructor stops it and does not wait:
// a thread is left behind with the notice that it is delivering. A running program is killed then,
// and at any end of the agent.
class HookThread {
 public:
  // `failures` is shared with the thread.
  HookThread(HookConfig hook, std::shared_ptr<Mailbox<HookFailure>> failures);
  HookThread(const HookThread&) = delete;
  HookThread& operator=(const HookThread&) = delete;
  ~HookThread() { Stop(); }

  // Queues a notice; never waits, and starts no thread. While 32 notices wait, others are dropped.
  void Report(std::string notice);
  // Whether it has been told everything.
  [[nodiscard]] bool idle() const;
  // Has a running program killed, and drops the notices that wait. Never waits.
  void Stop();
  // After Stop: waits for the notice that is being delivered, but not beyond `end`. No notice may
  // be queued after that.
  void AwaitEnd(std::chrono::steady_clock::time_point end);

 private:
  struct State;
  std::shared_ptr<State> state_;  // shared with the thread
  JobQueue jobs_{Threads::kHooks, AtEnd::kLeave};
};

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
  void Report(Occasion occasion, const std::string& notice, Instant now);
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
