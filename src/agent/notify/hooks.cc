#include "agent/notify/hooks.h"

#include <fmt/format.h>
#include <sys/eventfd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <utility>

#include "agent/notify/hook_program.h"
#include "core/config/agent_config.h"
#include "core/json/json_writer.h"
#include "core/report/cycle_report.h"
#include "core/units/http_url.h"
#include "http/client/client.h"
#include "machine/loop/job_queue.h"
#include "ports/file_descriptor.h"

namespace jettison {
namespace {

void WriteEviction(std::string_view pod, const EvictionOrder& order, JsonWriter& json) {
  const auto slash = pod.find('/');
  const bool named = slash != std::string_view::npos;
  json.Object("pod", [&] {
    json.Field("namespace", named ? pod.substr(0, slash) : "");
    json.Field("name", named ? pod.substr(slash + 1) : pod);
    json.Field("uid", order.pod_uid);
  });
  json.Object("eviction", [&] {
    json.Field("reason", order.reason);
    json.Field("message", order.message);
    json.Field("gracePeriodSeconds", order.grace_period_seconds);
    json.Object("annotations", [&] {
      for (const auto& [key, value] : order.annotations) json.Field(key, value);
    });
  });
}

constexpr std::size_t kMostWaiting = 32;
constexpr int kBurst = 10;

Result<void> Post(const HookConfig& hook, const std::string& notice) {
  const auto url = ParseHttpUrl(hook.url);
  if (!url) return Fail(url.error());
  const HttpTarget target = {.endpoint = url->origin,
                             .timeout = hook.timeout,
                             .basic_credentials = url->credentials,
                             .is_agent = false};
  const auto answer = HttpPost(target, url->target, notice);
  if (!answer) return Fail(answer.error());
  if (answer->status >= 200 && answer->status < 300) return {};
  return Fail(ErrorCode::kInternal, fmt::format("it answered with status {}", answer->status));
}

// How long the end of the agent waits for hooks: the next agent does not depend on them.
constexpr Duration kBriefEndPatience = std::chrono::milliseconds(500);

}  // namespace

// What a call uses, which may be left behind.
struct Hooks::Call {
  const HookConfig hook;
  const std::shared_ptr<Mailbox<HookFailure>> failures;
  const FileDescriptor stopped{eventfd(0, EFD_CLOEXEC)};  // readable: its program is to be killed
  std::atomic<std::size_t> waiting = 0;                   // notices, the present one included

  void Complain(std::string problem) const { failures->Put({hook.name, std::move(problem)}); }
  void Report(const std::string& notice) {
    const auto told =
        hook.exec.empty()
            ? Post(hook, notice)
            : RunHookProgram({.command = hook.exec, .timeout = hook.timeout, .stop = stopped.get()},
                             notice);
    if (!told) Complain(told.error().message);
    --waiting;
  }
};

struct Hooks::Hook {
  std::shared_ptr<Call> call;
  std::unique_ptr<JobQueue> calls;
  Instant used_up_to;

  // Whether it may be called at `now`, which it then is: a few times in a row, and then once an
  // interval. Each call uses up one interval; as many as make a burst may be ahead of the clock.
  [[nodiscard]] bool MayBeCalled(Instant now) {
    const Duration interval = call->hook.min_interval;
    const Instant used_up = std::max(used_up_to, now) + interval;
    if (used_up - now > kBurst * interval) return false;
    used_up_to = used_up;
    return true;
  }
};

Hooks::Hooks(const std::vector<HookConfig>& hooks, std::string node, bool dry_run,
             NameOfPod name_of_pod)
    : node_(std::move(node)), dry_run_(dry_run), name_of_pod_(std::move(name_of_pod)) {
  Replace(hooks);
}

// Each is told to stop before any is waited for, so that hooks which hang do not add up.
Hooks::~Hooks() {
  for (Hook& hook : hooks_) {
    eventfd_write(hook.call->stopped.get(), 1);
    hook.calls->DoInstead([] {});
  }
  const auto end = std::chrono::steady_clock::now() + kBriefEndPatience;
  for (Hook& hook : hooks_) {
    if (hook.calls->running()) {
      (void)hook.calls->FinishWithin(end - std::chrono::steady_clock::now());
    }
  }
}

void Hooks::Replace(const std::vector<HookConfig>& hooks) {
  std::vector<Hook> fresh;  // made before the old ones go, so that their thread stays
  for (const HookConfig& config : hooks) {
    const std::shared_ptr<Call> call(new Call{.hook = config, .failures = failures_});
    fresh.push_back(
        {.call = call, .calls = std::make_unique<JobQueue>(Threads::kHooks, AtEnd::kLeave)});
  }
  hooks_ = std::move(fresh);
}

void Hooks::ConditionsChanged(NodeConditions before, NodeConditions after, Instant now) {
  for (const NodeConditionType type : kAllNodeConditions) {
    if (before.Has(type) == after.Has(type)) continue;
    Report(Occasion::kConditionChange, now, [&](JsonWriter& json) {
      const NodeConditionText text = TextOf(type, after.Has(type));
      json.Object("condition", [&] {
        json.Field("type", text.type);
        json.Field("status", text.status);
        json.Field("reason", text.reason);
        json.Field("message", text.message);
      });
    });
  }
}

void Hooks::Evicting(const EvictionOrder& order, const Result<EvictOutcome>& outcome, Instant now) {
  if (hooks_.empty()) return;
  const std::string pod = name_of_pod_(order.pod_uid);
  Report(Occasion::kBeforeEviction, now,
         [&](JsonWriter& json) { WriteEviction(pod, order, json); });
  if (outcome && !dry_run_) evicted_.push_back({pod, order});
}

void Hooks::CleanedUp(bool all_gone, Instant now) {
  for (const Evicted& evicted : std::exchange(evicted_, {})) {
    Report(Occasion::kAfterEviction, now, [&](JsonWriter& json) {
      WriteEviction(evicted.pod, evicted.order, json);
      json.Field("cleanedUp", all_gone);
    });
  }
}

void Hooks::Report(Occasion occasion, Instant now, const std::function<void(JsonWriter&)>& write) {
  std::string notice;
  JsonWriter json(notice);
  json.Object([&] {
    json.Field("apiVersion", "jettison.io/v1alpha1");
    json.Field("kind", "Notice");
    json.Field("type", NameOf(occasion));
    json.Field("time", FormatInstant(now));
    json.Field("node", node_);
    json.Field("dryRun", dry_run_);
    write(json);
  });
  for (Hook& hook : hooks_) {
    const HookConfig& config = hook.call->hook;
    if (std::ranges::find(config.when, occasion) == config.when.end()) continue;
    if (!hook.MayBeCalled(now)) {
      hook.call->Complain("the hook is called too often, so a notice was dropped");
    } else if (hook.call->waiting >= kMostWaiting) {
      hook.call->Complain("the hook is too slow, so a notice was dropped");
    } else {
      ++hook.call->waiting;
      hook.calls->Do([call = hook.call, notice] { call->Report(notice); });
    }
  }
}

void Hooks::LogFailures(const Log& log) {
  for (const HookFailure& failure : failures_->TakeAll()) {
    log.Warn("hook call failed", {{"hook", failure.hook}, {"err", failure.problem}});
  }
}

}  // namespace jettison
