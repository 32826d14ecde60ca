#include "agent/loop/background_thread.h"

#include <pthread.h>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <system_error>
#include <thread>
#include <utility>

#include "agent/loop/thread_priority.h"
#include "ports/signals_blocked.h"
#include "ports/system_error.h"

namespace jettison {

struct BackgroundThread::State : std::enable_shared_from_this<State> {
  const ThreadPurpose purpose;
  std::mutex mutex;
  std::condition_variable wake;
  std::condition_variable over;
  std::optional<Job> next;        // guarded by mutex
  bool stop = false;              // guarded by mutex
  bool finish = false;            // guarded by mutex: stop when no job waits
  bool ended = false;             // guarded by mutex
  std::thread thread;             // guarded by the mutex of MissingThreads until it runs
  std::atomic<bool> runs{false};  // it has been started

  explicit State(ThreadPurpose its_purpose) : purpose(std::move(its_purpose)) {}
  [[nodiscard]] Result<void> Start();
  void Work();
};

// The library throws where the kernel refuses; that ends here.
Result<void> BackgroundThread::State::Start() {
  const SignalsBlocked blocked;
  try {
    thread = std::thread([self = shared_from_this()] { self->Work(); });
  } catch (const std::system_error& refused) {
    return Fail(SystemError(refused.code().value(), "start a thread"));
  }
  pthread_setname_np(thread.native_handle(), purpose.name.substr(0, 15).c_str());
  runs = true;
  return {};
}

void BackgroundThread::State::Work() {
  if (purpose.urgent) (void)RaiseThreadPriority(ThreadUrgency::kHelper);
  std::unique_lock lock(mutex);
  for (;;) {
    wake.wait(lock, [this] { return stop || finish || next; });
    if (stop || !next) break;
    Job job = std::move(*next);
    next.reset();
    lock.unlock();
    job();
    job = nullptr;  // what it holds is destroyed before the next is waited for
    lock.lock();
  }
  ended = true;
  over.notify_all();
}

class MissingThreads {
 public:
  using State = BackgroundThread::State;

  static MissingThreads& OfThisProcess() {
    // Never destroyed: a thread that was left behind may still ask at the end of the process.
    static MissingThreads* const kMissing = new MissingThreads;
    return *kMissing;
  }

  void Start(const std::shared_ptr<State>& state) {
    const std::lock_guard lock(mutex_);
    if (const auto started = state->Start(); !started) {
      missing_.push_back({state, started.error(), false});
    }
  }

  // Whether it has a thread. From now on none is started for it.
  bool Forget(const State& state) {
    const std::lock_guard lock(mutex_);
    std::erase_if(missing_, [&](const Entry& entry) { return entry.state.get() == &state; });
    return state.runs;
  }

  std::vector<MissingThread> TakeUntold() {
    const std::lock_guard lock(mutex_);
    std::vector<MissingThread> untold;
    for (Entry& entry : missing_) {
      if (std::exchange(entry.told, true)) continue;
      untold.push_back({entry.state->purpose, entry.error});
    }
    return untold;
  }

  bool Any() {
    const std::lock_guard lock(mutex_);
    return !missing_.empty();
  }

  std::vector<std::string> TryAgain() {
    const std::lock_guard lock(mutex_);
    std::vector<std::string> started;
    for (const Entry& entry : missing_) {
      // If one thread is refused, the next would be, too.
      if (!entry.state->Start()) break;
      started.push_back(entry.state->purpose.name);
    }
    missing_.erase(missing_.begin(),
                   missing_.begin() + static_cast<std::ptrdiff_t>(started.size()));
    return started;
  }

 private:
  struct Entry {
    std::shared_ptr<State> state;
    Error error;
    bool told = false;
  };
  std::mutex mutex_;
  std::vector<Entry> missing_;  // guarded by mutex_
};

BackgroundThread::BackgroundThread(ThreadPurpose purpose, AtEnd at_end)
    : state_(std::make_shared<State>(std::move(purpose))), at_end_(at_end) {
  MissingThreads::OfThisProcess().Start(state_);
}

BackgroundThread::~BackgroundThread() {
  const bool started = MissingThreads::OfThisProcess().Forget(*state_);
  {
    const std::lock_guard lock(state_->mutex);
    state_->stop = true;
  }
  state_->wake.notify_one();
  if (!started) return;
  if (at_end_ == AtEnd::kJoin) {
    state_->thread.join();
  } else {
    state_->thread.detach();
  }
}

void BackgroundThread::Do(Job job) {
  std::optional<Job> dropped;  // destroyed unlocked: its destructor may lock a mutex of its owner
  {
    const std::lock_guard lock(state_->mutex);
    dropped = std::exchange(state_->next, std::move(job));
  }
  state_->wake.notify_one();
}

bool BackgroundThread::FinishWithin(Duration patience) {
  std::unique_lock lock(state_->mutex);
  state_->finish = true;
  state_->wake.notify_one();
  const bool ended = state_->over.wait_for(lock, patience, [this] { return state_->ended; });
  if (!ended) at_end_ = AtEnd::kLeave;
  return ended;
}

// What is kept is never destroyed, not even when the process exits: the thread may go on until
// then.
bool FinishOrLeave(BackgroundThread& thread, const std::weak_ptr<const void>& owner,
                   Duration patience) {
  constexpr Duration kAsLongAsItTakes = std::chrono::hours(24 * 365);
  auto shared = owner.lock();
  if (thread.FinishWithin(shared ? patience : kAsLongAsItTakes)) return true;
  static auto* const left_behind = new std::vector<std::shared_ptr<const void>>();
  left_behind->push_back(std::move(shared));
  return false;
}

bool BackgroundThread::running() const {
  return state_->runs;
}

std::vector<MissingThread> TakeMissingThreads() {
  return MissingThreads::OfThisProcess().TakeUntold();
}

bool AnyThreadMissing() {
  return MissingThreads::OfThisProcess().Any();
}

std::vector<std::string> StartMissingThreads() {
  return MissingThreads::OfThisProcess().TryAgain();
}

bool CanStartThreads(std::size_t count) {
  const SignalsBlocked blocked;
  std::mutex until;
  std::unique_lock all_are_there(until);
  std::vector<std::jthread> threads;
  try {
    threads.reserve(count);
    while (threads.size() < count) {
      threads.emplace_back([&until] { const std::lock_guard wait(until); });
    }
  } catch (const std::system_error&) {
    all_are_there.unlock();
    return false;
  }
  all_are_there.unlock();
  return true;
}

}  // namespace jettison
