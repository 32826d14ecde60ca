#include "kernel/readiness/disk_work.h"

#include <fmt/format.h>
#include <sys/eventfd.h>

#include <mutex>
#include <utility>
#include <vector>

#include "ports/file_descriptor.h"
#include "ports/system_error.h"

namespace jettison::kernel {
DiskWork::DiskWork(Readiness& readiness, std::shared_ptr<DiskThread> thread)
    : thread_(std::move(thread)) {
  if (!thread_) return;
  auto outcomes = std::make_shared<Mailbox<Outcome>>();
  if (outcomes->fd() < 0) return;  // the caller does the work
  outcomes_ = std::move(outcomes);
  on_done_ = readiness.OnReadable(outcomes_->fd(), [this] { Deliver(); });
}

void DiskWork::Give(const Work& work, Done done, bool (DiskThread::*take)(DiskThread::Work)) {
  const std::uint64_t number = next_++;
  if (outcomes_ && (thread_.get()->*take)([to = outcomes_, number, work] {
        to->Put({number, work()});
      })) {
    if (done) waiting_.emplace(number, std::move(done));
    return;
  }
  const Result<void> result = work();
  if (done) done(result);
}

void DiskWork::Deliver() {
  for (const auto& [number, result] : outcomes_->TakeAll()) {
    const auto waiting = waiting_.extract(number);
    if (!waiting.empty()) waiting.mapped()(result);
  }
}

struct PathErrand::Shared {
  std::vector<PathStep> steps;
  std::size_t next = 0;  // the first step that the disk's thread leaves; constant afterwards
  FileDescriptor over;   // readable when what may hang is done
  std::atomic<bool> wanted{true};
  std::mutex mutex;
  const PathStep* at = nullptr;         // guarded by mutex; null: none is being done
  std::optional<Result<void>> outcome;  // guarded by mutex; of that

  // Does steps from this one on until one fails, or is to be left.
  template <typename IsLeft>
  Result<void> DoFrom(std::size_t& step, IsLeft is_left) {
    Result<void> done;
    for (; step < steps.size() && done && wanted && !is_left(steps[step]); ++step) {
      SetAt(&steps[step]);
      done = steps[step].work(wanted);
      if (!done) done = Fail(done.error().In(steps[step].what));
    }
    return done;
  }

  void SetAt(const PathStep* step) {
    const std::lock_guard lock(mutex);
    at = step;
  }

  // Those that come before the first one that may hang.
  Result<void> DoThoseThatAnswer(const std::weak_ptr<DiskThread>& thread) {
    auto done = DoFrom(next, [&thread](const PathStep& step) {
      const auto there = thread.lock();
      return there && there->MayHang(step.path);
    });
    SetAt(nullptr);
    return done;
  }

  void DoTheOthers() {
    std::size_t step = next;
    auto done = DoFrom(step, [](const PathStep&) { return false; });
    {
      const std::lock_guard lock(mutex);
      outcome = std::move(done);
    }
    eventfd_write(over.get(), 1);
  }

  // Of an errand for which nobody waits any longer.
  Result<void> OutcomeSoFar() {
    const std::lock_guard lock(mutex);
    if (outcome) return *outcome;
    if (at != nullptr) {
      return Fail(ErrorCode::kUnavailable,
                  fmt::format("{}: {} does not answer", at->what, at->path));
    }
    const PathStep& first = over ? steps[next] : steps.front();
    return Fail(
        ErrorCode::kUnavailable,
        fmt::format("{}: {} waits for file systems that do not answer", first.what, first.path));
  }
};

PathErrand::~PathErrand() {
  if (shared_) shared_->wanted = false;
}

// Whether a path may hang is found by following it, so that is work of the disk as well.
std::optional<Result<void>> PathErrand::Begin(std::vector<PathStep> steps, Done done) {
  if (steps.empty()) return Result<void>{};
  shared_ = std::make_shared<Shared>();
  shared_->steps = std::move(steps);
  done_ = std::move(done);
  beginning_ = true;
  disk_.Do([shared = shared_,
            thread = std::weak_ptr(disk_.thread())] { return shared->DoThoseThatAnswer(thread); },
           lifetime_.Guard([this](const Result<void>& outcome) { OnDisk(outcome); }));
  beginning_ = false;
  return std::exchange(known_, std::nullopt);
}

void PathErrand::OnDisk(const Result<void>& outcome) {
  if (!done_) return;  // it was told to hurry
  if (!outcome || shared_->next == shared_->steps.size()) return Tell(outcome);
  if (const auto asked = DoTheRest(); !asked) Tell(asked);
}

Result<void> PathErrand::DoTheRest() {
  shared_->over = FileDescriptor(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  if (!shared_->over) return FailErrno("make an eventfd");
  on_done_ = readiness_.OnReadable(shared_->over.get(), [this] { Tell(shared_->OutcomeSoFar()); });
  on_late_ = readiness_.After(patience_, [this] { Tell(shared_->OutcomeSoFar()); });
  errand_ = std::make_shared<DiskThread::Work>([shared = shared_] { shared->DoTheOthers(); });
  disk_.thread()->DoAt(shared_->steps[shared_->next].path, errand_);
  return {};
}

void PathErrand::Hurry() {
  if (!done_) return;
  on_late_ = readiness_.After(Duration::zero(), [this] { Tell(shared_->OutcomeSoFar()); });
}

// The callback may destroy this object.
void PathErrand::Tell(const Result<void>& outcome) {
  const Done done = std::exchange(done_, nullptr);
  if (beginning_) {
    known_ = outcome;
    return;
  }
  shared_->wanted = false;
  errand_.reset();
  on_done_.Stop();
  on_late_.Stop();
  done(outcome);
}

}  // namespace jettison::kernel
