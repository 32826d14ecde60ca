#include "machine/loop/job_queue.h"

#include <pthread.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <optional>
#include <system_error>
#include <thread>
#include <utility>

#include "kernel/filesystem/filesystem.h"
#include "machine/loop/own_process.h"
#include "ports/signals_blocked.h"
#include "ports/system_error.h"

namespace jettison {
namespace {

using std::chrono::steady_clock;

constexpr auto kGivenUpAfter = std::chrono::seconds(10);
constexpr std::size_t kMostGivenUp = 3;
constexpr std::size_t kThreadKinds = static_cast<std::size_t>(Threads::kSpare) + 1;

struct Crew {
  const char* name = "";  // 15 bytes at most
  std::size_t threads = 1;
  bool urgent = false;
  bool gives_way = false;  // to everything else
};

Crew CrewOf(Threads threads) {
  switch (threads) {
    case Threads::kEnding: return {.name = "ending", .threads = 2, .urgent = true};
    case Threads::kFiles: return {.name = "files"};
    case Threads::kWalks: return {.name = "disk-walk", .threads = 2, .gives_way = true};
    case Threads::kLog: return {.name = "log"};
    case Threads::kHttp: return {.name = "http"};
    case Threads::kHooks: return {.name = "hooks"};
    case Threads::kCluster: return {.name = "cluster"};
    case Threads::kSpare: return {.name = "spare", .threads = 2};
  }
  __builtin_unreachable();
}

// The library throws where the kernel refuses; that ends here.
template <typename Work>
Result<std::thread> StartThread(Work work) {
  const SignalsBlocked blocked;
  try {
    return std::thread(std::move(work));
  } catch (const std::system_error& refused) {
    return Fail(SystemError(refused.code().value(), "start a thread"));
  }
}

}  // namespace

// Guarded by the mutex of the pool.
struct JobQueue::State {
  std::deque<Job> jobs;  // that have not begun
  bool is_busy = false;
};

// The threads of one kind. Never destroyed: one that was left behind may still ask at the end of
// the process.
struct JobQueue::Pool {
  std::mutex mutex;
  std::condition_variable wake;
  std::condition_variable done;
  // Guarded by mutex:
  Crew crew;
  std::deque<std::shared_ptr<State>> ready;  // have a job that no thread is at
  steady_clock::time_point waits_since;      // since when no thread has taken any of them
  std::size_t queues = 0;
  std::size_t running = 0;   // threads
  std::size_t given_up = 0;  // of them, with their jobs
  std::uint64_t life = 0;    // counts up when the last queue goes, with which the threads end

  // The mutex is held for all that follows.
  [[nodiscard]] Result<void> StartOne() {
    auto thread = StartThread([this, its_life = life, own = crew] {
      if (own.urgent) (void)RaiseThreadPriority(ThreadUrgency::kHelper);
      if (own.gives_way) LowerThreadPriority();
      Work(its_life);
    });
    if (!thread) return Fail(thread.error());
    pthread_setname_np(thread->native_handle(), crew.name);
    thread->detach();
    ++running;
    return {};
  }
  std::optional<MissingThread> Care() {
    const bool hangs = !ready.empty() && steady_clock::now() - waits_since >= kGivenUpAfter;
    if (hangs && given_up < kMostGivenUp && StartOne()) ++given_up;
    while (running < crew.threads) {
      if (const auto started = StartOne(); !started) {
        return MissingThread{.name = crew.name, .error = started.error()};
      }
    }
    return std::nullopt;
  }
  void MakeReady(std::shared_ptr<State> state) {
    if (ready.empty()) waits_since = steady_clock::now();
    ready.push_back(std::move(state));
    wake.notify_all();
  }
  void End() {
    ++life;
    running = given_up = 0;
    wake.notify_all();
  }

  // Takes the mutex itself.
  void Work(std::uint64_t its_life) {
    std::unique_lock lock(mutex);
    for (;;) {
      wake.wait(lock, [&] { return life != its_life || !ready.empty(); });
      if (life != its_life) return;
      const auto begun = DoNext(lock);
      if (life != its_life) return;
      if (given_up == 0 || steady_clock::now() - begun < kGivenUpAfter) continue;
      --given_up;  // another thread has been started in its place
      --running;
      return;
    }
  }
  // Returns when it began.
  steady_clock::time_point DoNext(std::unique_lock<std::mutex>& lock) {
    const auto state = std::move(ready.front());
    ready.pop_front();
    Job job = std::move(state->jobs.front());
    state->jobs.pop_front();
    state->is_busy = true;
    const auto begun = waits_since = steady_clock::now();
    lock.unlock();
    job();
    job = nullptr;  // what it holds is destroyed before it counts as done
    lock.lock();
    state->is_busy = false;
    if (!state->jobs.empty()) MakeReady(state);
    done.notify_all();
    return begun;
  }
};

// Those of this process: the kernel counts threads of a process.
JobQueue::Pool& JobQueue::PoolOf(Threads threads) {
  static auto* const pools = new std::array<Pool, kThreadKinds>();
  Pool& pool = pools->at(static_cast<std::size_t>(threads));
  const std::lock_guard lock(pool.mutex);
  pool.crew = CrewOf(threads);
  return pool;
}

JobQueue::JobQueue(Threads threads, AtEnd at_end)
    : pool_(PoolOf(threads)), state_(std::make_shared<State>()), at_end_(at_end) {
  const std::lock_guard lock(pool_.mutex);
  ++pool_.queues;
  (void)pool_.Care();
}

JobQueue::~JobQueue() {
  std::deque<Job> dropped;  // destroyed unlocked: a destructor may lock a mutex of its owner
  std::unique_lock lock(pool_.mutex);
  dropped.swap(state_->jobs);
  std::erase(pool_.ready, state_);
  if (at_end_ == AtEnd::kJoin) pool_.done.wait(lock, [this] { return !state_->is_busy; });
  if (--pool_.queues == 0) pool_.End();
}

void JobQueue::Put(Job job, bool instead) {
  std::deque<Job> dropped;  // destroyed unlocked, as above
  const std::lock_guard lock(pool_.mutex);
  const bool is_ready = !state_->jobs.empty();
  if (instead) dropped.swap(state_->jobs);
  state_->jobs.push_back(std::move(job));
  if (!is_ready && !state_->is_busy) pool_.MakeReady(state_);
}

bool JobQueue::FinishWithin(Duration patience) {
  std::unique_lock lock(pool_.mutex);
  const bool finished = pool_.done.wait_for(
      lock, patience, [this] { return state_->jobs.empty() && !state_->is_busy; });
  if (!finished) at_end_ = AtEnd::kLeave;
  return finished;
}

// What is kept is never destroyed, not even when the process exits: the thread may go on until
// then.
bool FinishOrLeave(JobQueue& queue, const std::weak_ptr<const void>& owner, Duration patience) {
  constexpr Duration kAsLongAsItTakes = std::chrono::hours(24 * 365);
  auto shared = owner.lock();
  if (queue.FinishWithin(shared ? patience : kAsLongAsItTakes)) return true;
  static auto* const left_behind = new std::vector<std::shared_ptr<const void>>();
  left_behind->push_back(std::move(shared));
  return false;
}

bool JobQueue::running() const {
  const std::lock_guard lock(pool_.mutex);
  return pool_.running > 0;
}

std::vector<MissingThread> CareForThreads() {
  std::vector<MissingThread> missing;
  for (std::size_t kind = 0; kind < kThreadKinds; ++kind) {
    JobQueue::Pool& pool = JobQueue::PoolOf(static_cast<Threads>(kind));
    const std::lock_guard lock(pool.mutex);
    if (pool.queues == 0) continue;
    if (auto lacks = pool.Care()) missing.push_back(*std::move(lacks));
  }
  return missing;
}

bool CanStartThreads(std::size_t count) {
  std::mutex until;
  std::unique_lock all_are_there(until);
  std::vector<std::thread> threads;
  while (threads.size() < count) {
    auto thread = StartThread([&until] { const std::lock_guard wait(until); });
    if (!thread) break;
    threads.push_back(std::move(*thread));
  }
  all_are_there.unlock();
  for (std::thread& thread : threads) thread.join();
  return threads.size() == count;
}

bool OwnDiskThread::MayHang(const std::string& path) const {
  return path.starts_with('/') && !FindPlace(path).answers_by_itself;
}

// The file system is identified without asking it.
void OwnDiskThread::DoAt(const std::string& path, const std::shared_ptr<Work>& work) {
  const Place place = FindPlace(path);
  const std::string& file_system = place.mount ? place.mount->point : place.path;
  auto& jobs =
      by_file_system_.try_emplace(file_system, Threads::kSpare, AtEnd::kLeave).first->second;
  jobs.Do([weak = std::weak_ptr<Work>(work)] {
    if (const auto wanted = weak.lock()) (*wanted)();
  });
}

}  // namespace jettison
