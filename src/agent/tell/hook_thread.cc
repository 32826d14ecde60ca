#include "agent/tell/hook_thread.h"

#include <fmt/format.h>
#include <sys/eventfd.h>

#include <utility>

#include "agent/tell/hook_program.h"
#include "core/units/http_url.h"
#include "http/client/client.h"

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

HookThread::HookThread(HookConfig hook, Mailbox<HookFailure>& failures)
    : hook_(std::move(hook)),
      failures_(failures),
      stopped_(eventfd(0, EFD_CLOEXEC)),
      thread_({"hook", "the hook " + hook_.name + " is not called"}) {
  if (!hook_.exec.empty()) return;
  // libcurl is loaded now and not at the first notice: then memory may be short, and disks slow.
  if (const auto prepared = PrepareHttpClient(); !prepared) {
    failures_.Put({hook_.name, prepared.error().message});
  }
}

HookThread::~HookThread() {
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  eventfd_write(stopped_.get(), 1);
}

void HookThread::Tell(std::string notice) {
  bool gave_up = false;
  {
    const std::lock_guard lock(mutex_);
    waiting_.push_back(std::move(notice));
    if (waiting_.size() > kMostWaiting) {
      waiting_.pop_front();
      gave_up = true;
    }
  }
  if (gave_up) failures_.Put({hook_.name, "the hook is too slow, so a notice was dropped"});
  thread_.Do([this] { TellAll(); });
}

Result<void> HookThread::Call(const std::string& notice) const {
  if (hook_.exec.empty()) return Post(hook_, notice);
  return RunHookProgram({.command = hook_.exec,
                         .timeout = hook_.timeout,
                         .stop = stopped_.get(),
                         .kill_at_exit = kill_at_exit_},
                        notice);
}

std::optional<std::string> HookThread::TakeNext() {
  const std::lock_guard lock(mutex_);
  telling_ = !stop_ && !waiting_.empty();
  if (!telling_) return std::nullopt;
  std::string notice = std::move(waiting_.front());
  waiting_.pop_front();
  return notice;
}

bool HookThread::idle() {
  const std::lock_guard lock(mutex_);
  return waiting_.empty() && !telling_;
}

void HookThread::TellAll() {
  while (const auto notice = TakeNext()) {
    if (const auto told = Call(*notice); !told) {
      failures_.Put({hook_.name, told.error().message});
    }
  }
}

}  // namespace jettison
