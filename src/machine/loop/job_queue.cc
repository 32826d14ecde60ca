#include "machine/loop/job_queue.h"

#include <pthread.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <map>
#include <mutex>
#include <optional>
#include <system_error>
#include <thread>
#include <utility>

#include "machine/loop/thread_priority.h"
#include "ports/signals_blocked.h"
#include "ports/system_error.h"

namespace jettison {
namespace {

using std::chrono::steady_clock;

constexpr auto kGivenUpAfter = std::chrono::seconds(10);
constexpr std::size_t kMostGivenUp = 3;

struct Crew {
  const char* name;  // 15 bytes at most
  std::size_t threads = 1;
  bool urgent = false;
};

Crew CrewOf(Threads threads) {
  switch (threads) {
    case Threads::kEnding: return {.name = "ending", .threads = 2, .urgent = true};
    case Threads::kFiles: return {.name = "files"};
    case Threads::kWalks: return {.name = "disk-walk", .threads = 2};
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

// Guarded by the mutex of the group's threads.
struct JobQueue::State {
  std::deque<Job> jobs;  // that have not begun
  bool is_busy = false;
};

// The threads of one kind, as long as there is a queue for them.
class JobQueue::Group {
 public:
  // What the threads share, which may be left behind.
  struct Shared : std::enable_shared_from_this<Shared> {
    const Crew crew;
    std::mutex mutex;
    std::condition_variable wake;
    std::condition_variable done;
    // Guarded by mutex:
    std::deque<std::shared_ptr<State>> ready;  // have a job that no thread is at
    steady_clock::time_point waits_since;      // since when no thread has taken any of them
    std::size_t running = 0;                   // threads
    std::size_t given_up = 0;                  // of them, with their jobs
    bool stop = false;

    explicit Shared(Crew its_crew) : crew(its_crew) {}
    [[nodiscard]] Result<void> StartOne();
    void MakeReady(std::shared_ptr<State> state);
    void Work();
    // Returns whether its job was given up.
    [[nodiscard]] bool DoNext(std::unique_lock<std::mutex>& lock);
  };
  using Groups = std::map<Threads, std::weak_ptr<Group>>;

  // Those of this process: the kernel counts threads of a process.
  static std::shared_ptr<Group> Of(Threads threads);
  static std::vector<std::shared_ptr<Group>> All();

  explicit Group(Threads threads) : shared_(std::make_shared<Shared>(CrewOf(threads))) {
    (void)Care();
  }
  Group(const Group&) = delete;
  Group& operator=(const Group&) = delete;
  ~Group() {
    const std::lock_guard lock(shared_->mutex);
    shared_->stop = true;
    shared_->wake.notify_all();
  }

  std::optional<MissingThread> Care();
  [[nodiscard]] Shared& shared() const { return *shared_; }

 private:
  // Never destroyed: a thread that was left behind may still ask at the end of the process.
  static std::mutex& MutexOfAll() {
    static auto* const mutex = new std::mutex();
    return *mutex;
  }
  static Groups& OfThisProcess() {
    static auto* const groups = new Groups();
    return *groups;
  }

  std::shared_ptr<Shared> shared_;
};

std::shared_ptr<JobQueue::Group> JobQueue::Group::Of(Threads threads) {
  const std::lock_guard lock(MutexOfAll());
  std::weak_ptr<Group>& known = OfThisProcess()[threads];
  auto group = known.lock();
  if (!group) known = group = std::make_shared<Group>(threads);
  return group;
}

std::vector<std::shared_ptr<JobQueue::Group>> JobQueue::Group::All() {
  const std::lock_guard lock(MutexOfAll());
  std::vector<std::shared_ptr<Group>> all;
  for (const auto& [threads, known] : OfThisProcess()) {
    if (auto group = known.lock()) all.push_back(std::move(group));
  }
  return all;
}

std::optional<MissingThread> JobQueue::Group::Care() {
  const std::lock_guard lock(shared_->mutex);
  const bool hangs =
      !shared_->ready.empty() && steady_clock::now() - shared_->waits_since >= kGivenUpAfter;
  if (hangs && shared_->given_up < kMostGivenUp && shared_->StartOne()) ++shared_->given_up;
  while (shared_->running < shared_->crew.threads) {
    if (const auto started = shared_->StartOne(); !started) {
      return MissingThread{.name = shared_->crew.name, .error = started.error()};
    }
  }
  return std::nullopt;
}

// The mutex is held, as for all that follows.
Result<void> JobQueue::Group::Shared::StartOne() {
  auto thread = StartThread([self = shared_from_this()] { self->Work(); });
  if (!thread) return Fail(thread.error());
  pthread_setname_np(thread->native_handle(), crew.name);
  thread->detach();
  ++running;
  return {};
}

void JobQueue::Group::Shared::MakeReady(std::shared_ptr<State> state) {
  if (ready.empty()) waits_since = steady_clock::now();
  ready.push_back(std::move(state));
  wake.notify_one();
}

void JobQueue::Group::Shared::Work() {
  if (crew.urgent) (void)RaiseThreadPriority(ThreadUrgency::kHelper);
  std::unique_lock lock(mutex);
  for (bool is_given_up = false; !is_given_up;) {
    wake.wait(lock, [this] { return stop || !ready.empty(); });
    if (stop) break;
    is_given_up = DoNext(lock);
  }
  --running;
}

bool JobQueue::Group::Shared::DoNext(std::unique_lock<std::mutex>& lock) {
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
  if (given_up == 0 || steady_clock::now() - begun < kGivenUpAfter) return false;
  --given_up;
  return true;
}

JobQueue::JobQueue(Threads threads, AtEnd at_end)
    : group_(Group::Of(threads)), state_(std::make_shared<State>()), at_end_(at_end) {}

JobQueue::~JobQueue() {
  std::deque<Job> dropped;  // destroyed unlocked: a destructor may lock a mutex of its owner
  Group::Shared& shared = group_->shared();
  std::unique_lock lock(shared.mutex);
  dropped.swap(state_->jobs);
  std::erase(shared.ready, state_);
  if (at_end_ == AtEnd::kJoin) shared.done.wait(lock, [this] { return !state_->is_busy; });
}

void JobQueue::Do(Job job) {
  Put(std::move(job), false);
}

void JobQueue::DoInstead(Job job) {
  Put(std::move(job), true);
}

void JobQueue::Put(Job job, bool instead) {
  std::deque<Job> dropped;  // destroyed unlocked, as above
  Group::Shared& shared = group_->shared();
  const std::lock_guard lock(shared.mutex);
  const bool is_ready = !state_->jobs.empty();
  if (instead) dropped.swap(state_->jobs);
  state_->jobs.push_back(std::move(job));
  if (!is_ready && !state_->is_busy) shared.MakeReady(state_);
}

bool JobQueue::FinishWithin(Duration patience) {
  Group::Shared& shared = group_->shared();
  std::unique_lock lock(shared.mutex);
  const bool finished = shared.done.wait_for(
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
  const std::lock_guard lock(group_->shared().mutex);
  return group_->shared().running > 0;
}

std::vector<MissingThread> CareForThreads() {
  std::vector<MissingThread> missing;
  for (const auto& group : JobQueue::Group::All()) {
    if (auto lacks = group->Care()) missing.push_back(*std::move(lacks));
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

}  // namespace jettison
