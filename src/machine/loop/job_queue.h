#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/units/duration.h"
#include "core/units/result.h"
#include "ports/disk_thread.h"

namespace jettison {

// The threads beside the loop, by what they are for. docs/agent.md says what each of them does.
enum class Threads : std::uint8_t {
  kEnding,   // helps to end pods, and must not queue behind them for a processor
  kFiles,    // reads and writes the agent's own files
  kWalks,    // measures pods' folders, and deletes those of pods that are gone
  kLog,      // writes the log
  kHttp,     // answers requests
  kHooks,    // calls hooks
  kCluster,  // speaks with the API server
  kSpare,    // does everything else that takes long or may hang
};

// What happens to the job that a queue is at when the queue is destroyed.
enum class AtEnd : std::uint8_t {
  kJoin,   // it is waited for
  kLeave,  // it is left alone, and must own all that it uses
};

// Threads that could not be started, and why.
struct MissingThread {
  std::string name;  // as /proc shows it
  Error error;
};

// Jobs that are done one after the other, beside the loop. Queues for the same threads share them,
// and each thread takes the queue that has waited longest. The threads handle no signals. They
// start with the first of their queues, because a start may fail just when it is needed most, and
// end with the last one. Where none can be started, jobs wait until CareForThreads has started one.
class JobQueue {
 public:
  using Job = std::function<void()>;

  explicit JobQueue(Threads threads, AtEnd at_end = AtEnd::kJoin);
  JobQueue(const JobQueue&) = delete;
  JobQueue& operator=(const JobQueue&) = delete;
  // Drops the jobs that have not begun.
  ~JobQueue();

  // Never waits and starts nothing.
  void Do(Job job) { Put(std::move(job), false); }
  // The same, in place of the jobs that have not begun.
  void DoInstead(Job job) { Put(std::move(job), true); }
  // Waits until all jobs are done. Returns whether they were by then; else the job that the queue
  // is at is left alone, as with AtEnd::kLeave.
  [[nodiscard]] bool FinishWithin(Duration patience);
  // Whether there is a thread to do them.
  [[nodiscard]] bool running() const;

 private:
  struct Pool;
  struct State;
  friend std::vector<MissingThread> CareForThreads();
  [[nodiscard]] static Pool& PoolOf(Threads threads);
  void Put(Job job, bool instead);

  Pool& pool_;                    // with other queues
  std::shared_ptr<State> state_;  // with the thread that does a job of it
  AtEnd at_end_;
};

// How long the end of the agent waits for each queue that writes something for the next agent. All
// of them may hang on one disk, and a service manager kills an agent that ends too slowly.
inline constexpr Duration kEndPatience = std::chrono::milliseconds(1500);

// FinishWithin for a queue whose jobs use `owner`. If it does not finish, as on a disk that hangs,
// the owner is kept for the rest of the process. An owner that nobody shares is waited for as long
// as it takes.
[[nodiscard]] bool FinishOrLeave(JobQueue& queue, const std::weak_ptr<const void>& owner,
                                 Duration patience = kEndPatience);

// Starts the threads of this process that are missing, and returns those that still are. Where all
// threads of a kind have been at the same jobs for 10 s while another job waits, those jobs are
// given up: a thread is started in addition, three times at most. The thread whose job was given up
// ends with it.
std::vector<MissingThread> CareForThreads();

// Whether `count` threads can be started now, for a library that starts its own threads. It starts
// them and ends them again.
[[nodiscard]] bool CanStartThreads(std::size_t count);

// Long work is done on the threads that measure pods' files, which give way to all others. Work on
// paths of one file system that may never answer is done in its order, so that it keeps one thread.
// Where two of them do not answer, other work begins when they have been given up (CareForThreads).
class OwnDiskThread : public DiskThread {
 public:
  OwnDiskThread() = default;
  OwnDiskThread(const OwnDiskThread&) = delete;
  OwnDiskThread& operator=(const OwnDiskThread&) = delete;
  // Waits until everything with the agent's own files is done, but not longer than a few seconds
  // for a disk that hangs.
  ~OwnDiskThread() override {
    if (jobs_.running()) (void)jobs_.FinishWithin(std::chrono::seconds(5));
  }

  [[nodiscard]] bool Do(Work work) override {
    if (!jobs_.running()) return false;
    jobs_.Do(std::move(work));
    return true;
  }
  [[nodiscard]] bool DoLong(Work work) override {
    long_jobs_.Do(std::move(work));
    return true;
  }
  [[nodiscard]] bool DoCall(Work work) override {
    calls_.Do(std::move(work));
    return true;
  }
  [[nodiscard]] bool MayHang(const std::string& path) const override;
  void DoAt(const std::string& path, const std::shared_ptr<Work>& work) override;

 private:
  JobQueue jobs_{Threads::kFiles, AtEnd::kLeave};
  JobQueue calls_{Threads::kSpare, AtEnd::kLeave};
  JobQueue long_jobs_{Threads::kWalks, AtEnd::kLeave};
  std::map<std::string, JobQueue> by_file_system_;
};

}  // namespace jettison
