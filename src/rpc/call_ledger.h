#pragma once

#include <grpcpp/client_context.h>

#include <chrono>
#include <condition_variable>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <unordered_map>
#include <utility>

#include "core/units/result.h"
#include "ports/file_descriptor.h"

namespace jettison::cri {

// One call: under way, then waiting to be delivered.
class Call {
 public:
  virtual ~Call() = default;
  virtual void Deliver() = 0;
  // A call that takes over the answer of this one, and delivers that failure.
  [[nodiscard]] virtual std::unique_ptr<Call> Supersede(Error failure) = 0;

  // Needs the gRPC that it was made with.
  std::optional<grpc::ClientContext> context{std::in_place};
  std::optional<Error> error;
  // gRPC may fail to end a call at its deadline: it is cancelled at `overdue_at`, which stays as it
  // is once the ledger has the call.
  std::chrono::steady_clock::time_point overdue_at = std::chrono::steady_clock::time_point::max();
  Error when_overdue;
  bool is_overdue = false;
};

// The calls under way and those that wait to be delivered, shared with gRPC's threads: these move a
// call from the first to the second, and do nothing else. What a call costs here does not depend on
// how many others there are.
class CallLedger {
 public:
  // `timer`: a timerfd of CLOCK_MONOTONIC.
  explicit CallLedger(FileDescriptor timer) : timer_(std::move(timer)) {}

  // Readable when an answer waits, or EndOverdue has something to do.
  [[nodiscard]] int fd() const { return timer_.get(); }
  void Add(std::unique_ptr<Call> call);
  // Called once for each call, on any thread.
  void Finish(Call* call, std::optional<Error> error);
  [[nodiscard]] std::deque<std::unique_ptr<Call>> TakeAnswers();
  // Cancels the calls that are overdue. A call that has not ended a second after that is answered
  // without gRPC, and kept until gRPC ends it.
  void EndOverdue(std::chrono::steady_clock::time_point now);
  // Cancels every call under way; false if one did not end in time. Nothing of gRPC is left in
  // those that wait to be delivered.
  [[nodiscard]] bool CancelAll(std::chrono::milliseconds patience);

 private:
  using ByTime = std::multimap<std::chrono::steady_clock::time_point, std::unique_ptr<Call>>;

  // With the mutex: sets the timer for what comes next.
  void Arm();

  const FileDescriptor timer_;
  std::mutex mutex_;  // guards what follows
  std::condition_variable finished_;
  ByTime under_way_;                                       // by when they are overdue
  std::unordered_map<Call*, ByTime::iterator> places_;     // of each in under_way_
  std::unordered_map<Call*, std::unique_ptr<Call>> lost_;  // answered, and not ended by gRPC
  std::deque<std::unique_ptr<Call>> answers_;
  // What the timer is set to; max: it is not set.
  std::chrono::steady_clock::time_point armed_for_ = std::chrono::steady_clock::time_point::max();
};

}  // namespace jettison::cri
