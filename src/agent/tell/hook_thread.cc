#include "agent/tell/hook_thread.h"

#include <fmt/format.h>
#include <sys/eventfd.h>

#include <atomic>
#include <utility>

#include "agent/tell/hook_program.h"
#include "core/units/http_url.h"
#include "http/client/client.h"
#include "ports/file_descriptor.h"

namespace jettison {
namespace {

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

}  // namespace

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
  void Tell(const std::string& notice);
};

Result<void> HookThread::State::Call(const std::string& notice) const {
  if (hook.exec.empty()) return Post(hook, notice);
  return RunHookProgram({.command = hook.exec, .timeout = hook.timeout, .stop = stopped.get()},
                        notice);
}

void HookThread::State::Tell(const std::string& notice) {
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

void HookThread::Tell(std::string notice) {
  if (state_->waiting >= kMostWaiting) {
    return state_->Complain("the hook is too slow, so a notice was dropped");
  }
  ++state_->waiting;
  jobs_.Do([state = state_, notice = std::move(notice)] { state->Tell(notice); });
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

}  // namespace jettison
