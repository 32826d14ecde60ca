#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "core/units/duration.h"
#include "core/units/result.h"

namespace jettison {

// What a thread is there for, in words for the log.
struct ThreadPurpose {
  std::string name;     // as /proc and the log show it; 15 bytes at most
  std::string without;  // the effect of its absence: "past evictions are not kept"
  bool urgent = false;  // it helps to end pods, and must not queue behind them for a processor
};

// What happens to a thread when its owner is destroyed.
enum class AtEnd : std::uint8_t {
  kJoin,   // it is waited for, after the job it is at
  kLeave,  // it is left behind with the job it is at, which must own all that it uses
};

// A thread that does one job at a time. Of waiting jobs, only the newest is kept. It handles no
// signals. It is started by the constructor, not by the first job, because starting a thread may
// fail just when it is needed most. If it cannot be started, its job waits until
// StartMissingThreads has started it.
class BackgroundThread {
 public:
  using Job = std::function<void()>;

  explicit BackgroundThread(ThreadPurpose purpose, AtEnd at_end = AtEnd::kJoin);
  BackgroundThread(const BackgroundThread&) = delete;
  BackgroundThread& operator=(const BackgroundThread&) = delete;
  ~BackgroundThread();

  // Never waits and starts nothing. A job that had not begun yet is dropped.
  void Do(Job job);
  // Lets the thread, which is there, do the job that waits and end. Returns whether it has ended by
  // then; else it is left behind, as with AtEnd::kLeave. No job may be given after that.
  [[nodiscard]] bool FinishWithin(Duration patience);
  // Whether the thread is there.
  [[nodiscard]] bool running() const;

 private:
  struct State;
  friend class MissingThreads;
  std::shared_ptr<State> state_;  // shared with the thread
  AtEnd at_end_;
};

// How long the end of the agent waits for each thread that writes something for the next agent. All
// of them may hang on one disk, and a service manager kills an agent that ends too slowly.
inline constexpr Duration kEndPatience = std::chrono::milliseconds(1500);

// How long the end of the agent waits for threads on whose work the next agent does not depend.
inline constexpr Duration kBriefEndPatience = std::chrono::milliseconds(500);

// FinishWithin for a thread whose jobs use `owner`. If it does not end, as on a disk that hangs,
// the owner is kept for the rest of the process. An owner that nobody shares is waited for as long
// as it takes.
[[nodiscard]] bool FinishOrLeave(BackgroundThread& thread, const std::weak_ptr<const void>& owner,
                                 Duration patience = kEndPatience);

// Whether `count` threads can be started now, for a library that starts its own threads. It starts
// them and ends them again.
[[nodiscard]] bool CanStartThreads(std::size_t count);

// A thread that could not be started, and why.
struct MissingThread {
  ThreadPurpose purpose;
  Error error;
};

// The threads of this process that are missing. The kernel counts threads of a process, so they are
// kept for the process, too. On any thread.
//
// Those that went missing since the last call.
[[nodiscard]] std::vector<MissingThread> TakeMissingThreads();
// Whether any is missing now.
[[nodiscard]] bool AnyThreadMissing();
// Tries each again; the names of those that are there now.
std::vector<std::string> StartMissingThreads();

}  // namespace jettison
