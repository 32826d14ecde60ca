#include "kernel/readiness/path_errand.h"

#include <fmt/format.h>
#include <sys/eventfd.h>

#include <mutex>
#include <utility>

#include "ports/file_descriptor.h"
#include "ports/system_error.h"

namespace jettison::kernel {
namespace {

Result<void> DoStep(const PathStep& step, const std::atomic<bool>& wanted) {
  auto done = step.work(wanted);
  if (!done) return Fail(done.error().In(step.what));
  return done;
}

}  // namespace

struct PathErrand::Shared {
  std::vector<PathStep> steps;
  FileDescriptor over;  // readable when the errand is over
  std::atomic<bool> wanted{true};
  std::mutex mutex;
  const PathStep* at = nullptr;         // guarded by mutex; null: it has not begun
  std::optional<Result<void>> outcome;  // guarded by mutex

  void DoAll() {
    Result<void> done;
    for (const PathStep& step : steps) {
      if (!done || !wanted) break;
      {
        const std::lock_guard lock(mutex);
        at = &step;
      }
      done = DoStep(step, wanted);
    }
    {
      const std::lock_guard lock(mutex);
      outcome = std::move(done);
    }
    eventfd_write(over.get(), 1);
  }

  // The outcome so far.
  Result<void> Outcome() {
    const std::lock_guard lock(mutex);
    if (outcome) return *outcome;
    if (at == nullptr) {
      return Fail(ErrorCode::kUnavailable,
                  fmt::format("{}: {} waits for file systems that do not answer",
                              steps.front().what, steps.front().path));
    }
    return Fail(ErrorCode::kUnavailable, fmt::format("{}: {} does not answer", at->what, at->path));
  }
};

PathErrand::~PathErrand() {
  if (shared_) shared_->wanted = false;
}

std::optional<Result<void>> PathErrand::Begin(std::vector<PathStep> steps, Done done) {
  static const std::atomic<bool> kWanted{true};
  SlowPaths* const slow = patience_.slow_paths.get();
  auto step = steps.begin();
  for (; step != steps.end() && (slow == nullptr || !slow->MayHang(step->path)); ++step) {
    if (auto here = DoStep(*step, kWanted); !here) return here;
  }
  if (step == steps.end()) return Result<void>{};
  shared_ = std::make_shared<Shared>();
  shared_->steps.assign(std::make_move_iterator(step), std::make_move_iterator(steps.end()));
  shared_->over = FileDescriptor(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  if (!shared_->over) return FailErrno("make an eventfd");
  done_ = std::move(done);
  on_done_ = readiness_.OnReadable(shared_->over.get(), [this] { Finish(); });
  on_late_ = readiness_.After(patience_.patience, [this] { Finish(); });
  errand_ = std::make_shared<SlowPaths::Work>([shared = shared_] { shared->DoAll(); });
  slow->Do(shared_->steps.front().path, errand_);
  return std::nullopt;
}

void PathErrand::Hurry() {
  if (on_late_) on_late_ = readiness_.After(Duration::zero(), [this] { Finish(); });
}

// The callback may destroy this object.
void PathErrand::Finish() {
  on_done_.Stop();
  on_late_.Stop();
  shared_->wanted = false;
  errand_.reset();
  const Result<void> outcome = shared_->Outcome();
  const Done done = std::move(done_);
  done(outcome);
}

}  // namespace jettison::kernel
