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
#include "ports/file_descriptor.h"

namespace jettison {
namespace {

// A notice: the members that every notice has, and those that `write` adds.
template <typename Write>
std::string Notice(const NoticeHead& head, Occasion occasion, Write write) {
  std::string text;
  JsonWriter json(text);
  json.Object([&] {
    json.Field("apiVersion", "jettison.io/v1alpha1");
    json.Field("kind", "Notice");
    json.Field("type", NameOf(occasion));
    json.Field("time", FormatInstant(head.at));
    json.Field("node", head.node);
    json.Field("dryRun", head.dry_run);
    write(json);
  });
  return text;
}

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

std::string ConditionNotice(const NoticeHead& head, NodeConditionType type, bool status) {
  const NodeConditionText text = TextOf(type, status);
  return Notice(head, Occasion::kConditionChange, [&](JsonWriter& json) {
    json.Object("condition", [&] {
      json.Field("type", text.type);
      json.Field("status", text.status);
      json.Field("reason", text.reason);
      json.Field("message", text.message);
    });
  });
}

std::string BeforeEvictionNotice(const NoticeHead& head, std::string_view pod,
                                 const EvictionOrder& order) {
  return Notice(head, Occasion::kBeforeEviction,
                [&](JsonWriter& json) { WriteEviction(pod, order, json); });
}

std::string AfterEvictionNotice(const NoticeHead& head, std::string_view pod,
                                const EvictionOrder& order, bool cleaned_up) {
  return Notice(head, Occasion::kAfterEviction, [&](JsonWriter& json) {
    WriteEviction(pod, order, json);
    json.Field("cleanedUp", cleaned_up);
  });
}

// What the thread uses, also when it has been left behind.
struct HookThread::State {
  const HookConfig hook;
  const std::shared_ptr<Mailbox<HookFailure>> failures;
  const FileDescriptor stopped{eventfd(0, EFD_CLOEXEC)};  // readable after Stop
  std::atomic<std::size_t> waiting = 0;                   // notices, the present one included
  std::atomic<bool> stop = false;

  State(HookConfig its_hook, std::shared_ptr<Mailbox<HookFailure>> its_failures)
      : hook(std::move(its_hook)), failures(std::move(its_failures)) {}

  void Complain(std::string problem) const { failures->Put({hook.name, std::move(problem)}); }
  [[nodiscard]] Result<void> Call(const std::string& notice) const;
  void Report(const std::string& notice);
};

Result<void> HookThread::State::Call(const std::string& notice) const {
  if (hook.exec.empty()) return Post(hook, notice);
  return RunHookProgram({.command = hook.exec, .timeout = hook.timeout, .stop = stopped.get()},
                        notice);
}

void HookThread::State::Report(const std::string& notice) {
  if (!stop) {
    if (const auto told = Call(notice); !told) Complain(told.error().message);
  }
  --waiting;
}

HookThread::HookThread(HookConfig hook, std::shared_ptr<Mailbox<HookFailure>> failures)
    : state_(std::make_shared<State>(std::move(hook), std::move(failures))) {
  if (!state_->hook.exec.empty()) return;
  // libcurl is loaded now and not at the first notice: then memory may be short, and disks slow.
  if (const auto prepared = PrepareHttpClient(); !prepared) {
    state_->Complain(prepared.error().message);
  }
}

void HookThread::Report(std::string notice) {
  if (state_->waiting >= kMostWaiting) {
    return state_->Complain("the hook is too slow, so a notice was dropped");
  }
  ++state_->waiting;
  jobs_.Do([state = state_, notice = std::move(notice)] { state->Report(notice); });
}

bool HookThread::idle() const {
  return state_->waiting == 0;
}

void HookThread::Stop() {
  state_->stop = true;
  eventfd_write(state_->stopped.get(), 1);
}

void HookThread::AwaitEnd(std::chrono::steady_clock::time_point end) {
  if (jobs_.running()) (void)jobs_.FinishWithin(end - std::chrono::steady_clock::now());
}

Hooks::Hooks(const std::vector<HookConfig>& hooks, std::string node, bool dry_run,
             NameOfPod name_of_pod)
    : node_(std::move(node)), dry_run_(dry_run), name_of_pod_(std::move(name_of_pod)) {
  Replace(hooks);
}

// Each is told first, so that hooks which hang do not add up.
Hooks::~Hooks() {
  RetireAll();
  const auto end = std::chrono::steady_clock::now() + kBriefEndPatience;
  for (const auto& thread : retired_) thread->Stop();
  for (const auto& thread : retired_) thread->AwaitEnd(end);
}

void Hooks::RetireAll() {
  for (Hook& hook : hooks_) retired_.push_back(std::move(hook.thread));
  hooks_.clear();
}

// A hook that is being called, or for which notices wait, is destroyed later.
void Hooks::Replace(const std::vector<HookConfig>& hooks) {
  RetireAll();
  std::erase_if(retired_, [](const auto& thread) { return thread->idle(); });
  for (const HookConfig& config : hooks) {
    hooks_.push_back({.config = config,
                      .budget = HookBudget(config.min_interval),
                      .thread = std::make_unique<HookThread>(config, failures_)});
  }
}

void Hooks::ConditionsChanged(NodeConditions before, NodeConditions after, Instant now) {
  if (hooks_.empty()) return;
  for (const NodeConditionType type : kAllNodeConditions) {
    if (before.Has(type) == after.Has(type)) continue;
    Report(Occasion::kConditionChange, ConditionNotice(Head(now), type, after.Has(type)), now);
  }
}

void Hooks::Evicting(const EvictionOrder& order, const Result<EvictOutcome>& outcome, Instant now) {
  if (hooks_.empty()) return;
  const std::string pod = name_of_pod_(order.pod_uid);
  Report(Occasion::kBeforeEviction, BeforeEvictionNotice(Head(now), pod, order), now);
  if (outcome && !dry_run_) evicted_.push_back({pod, order});
}

void Hooks::CleanedUp(bool all_gone, Instant now) {
  for (const Evicted& evicted : std::exchange(evicted_, {})) {
    Report(Occasion::kAfterEviction,
           AfterEvictionNotice(Head(now), evicted.pod, evicted.order, all_gone), now);
  }
}

void Hooks::Report(Occasion occasion, const std::string& notice, Instant now) {
  for (Hook& hook : hooks_) {
    if (std::ranges::find(hook.config.when, occasion) == hook.config.when.end()) continue;
    if (hook.budget.Take(now)) {
      hook.thread->Report(notice);
    } else {
      failures_->Put({hook.config.name, "the hook is called too often, so a notice was dropped"});
    }
  }
}

void Hooks::LogFailures(const Log& log) {
  std::erase_if(retired_, [](const auto& thread) { return thread->idle(); });
  for (const HookFailure& failure : failures_->TakeAll()) {
    log.Warn("hook call failed", {{"hook", failure.hook}, {"err", failure.problem}});
  }
}

}  // namespace jettison
