#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "agent/dependencies/dependencies.h"
#include "core/config/agent_config.h"
#include "core/model/eviction.h"
#include "core/model/signal.h"
#include "core/units/duration.h"
#include "core/units/result.h"
#include "machine/log/log.h"
#include "ports/mailbox.h"

namespace jettison {

struct HookCall {
  const std::vector<std::string>& command;
  Duration timeout;
  int stop;  // a descriptor; readable when the program is to be killed
};

// Runs a program with `input` as its standard input, and waits for its end. Its output is written
// to the agent's standard error. After `timeout`, or when `stop` is readable, its process group is
// killed. The program alone is killed if the agent ends first, even by SIGKILL. Processes that the
// program leaves when it ends by itself keep running. It has default signal handling and an
// oom_score_adj of 0, not those of the agent.
// Errors: it cannot be started, ends with another status than 0 or by a signal, kDeadlineExceeded.
[[nodiscard]] Result<void> RunHookProgram(const HookCall& call, const std::string& input);

class JsonWriter;

// What a hook is told: one object of JSON on a program's standard input, or as the body of a POST.
//
//   {"apiVersion": "jettison.io/v1alpha1", "kind": "Notice", "type": "BeforeEviction",
//    "time": "2026-01-02T03:04:05Z", "node": "node-1", "dryRun": false,
//    "pod": {"namespace": ..., "name": ..., "uid": ...},
//    "eviction": {"reason": ..., "message": ..., "gracePeriodSeconds": 1, "annotations": {...}}}
//
// A ConditionChange has "condition" (type, status, reason, message) instead of pod and eviction; an
// AfterEviction says "cleanedUp": whether nothing of the pod is left on the node.

// A notice that was not delivered, and why.
struct HookFailure {
  std::string hook;
  std::string problem;
};

// Tells the configured programs and addresses what happens on the node. Nothing here waits: hooks
// are called beside the loop, each with one notice after the other, because a hook may hang until
// its time limit. A hook that is called too often misses notices, and so does one for which 32
// notices wait; the log says so.
class Hooks : public NodeListener {
 public:
  using NameOfPod = std::function<std::string(std::string_view uid)>;

  // `name_of_pod`: "namespace/name" of a pod on the node.
  Hooks(const std::vector<HookConfig>& hooks, std::string node, bool dry_run,
        NameOfPod name_of_pod);
  Hooks(const Hooks&) = delete;
  Hooks& operator=(const Hooks&) = delete;
  // Drops the notices that wait, kills the programs that run, and waits half a second in all for
  // the hooks that are being called.
  ~Hooks() override;

  // Others from now on. What waits for those before is dropped; a call that is under way goes on.
  void Replace(const std::vector<HookConfig>& hooks);

  void ConditionsChanged(NodeConditions before, NodeConditions after, Instant now) override;
  void Evicting(const EvictionOrder& order, const Result<EvictOutcome>& outcome,
                Instant now) override;
  // The wait for pods to be gone is over; told of each that Evicting was told of.
  void CleanedUp(bool all_gone, Instant now) override;

  // Readable when there are failures to log.
  [[nodiscard]] int fd() const { return failures_->fd(); }
  void LogFailures(const Log& log);

 private:
  struct Call;
  struct Hook;
  struct Evicted {
    std::string pod;
    EvictionOrder order;
  };
  // Tells the hooks that asked for the occasion; `write` adds to the notice what it is about.
  void Report(Occasion occasion, Instant now, const std::function<void(JsonWriter&)>& write);

  std::string node_;
  bool dry_run_;
  NameOfPod name_of_pod_;
  // With the threads, which put into it.
  std::shared_ptr<Mailbox<HookFailure>> failures_ = std::make_shared<Mailbox<HookFailure>>();
  std::vector<Hook> hooks_;
  std::vector<Evicted> evicted_;  // and not cleaned up yet
};

}  // namespace jettison
