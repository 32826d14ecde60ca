#pragma once

#include <grpcpp/client_context.h>

#include <chrono>
#include <condition_variable>
#include <deque>
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
  // A call that takes over the answer of this one, which gRPC may never end, and delivers that
  // failure.
  [[nodiscard]] virtual std::unique_ptr<Call> Supersede(Error failure) = 0;

  // Needs the gRPC that it was made with.
  std::optional<grpc::ClientContext> context{std::in_place};
  std::optional<Error> error;
  // When it is overdue: gRPC has not ended it at its deadline.
  std::chrono::steady_clock::time_point overdue_at = std::chrono::steady_clock::time_point::max();
};

// The calls under way and those that wait to be delivered, shared with gRPC's threads: these move a
// call from the first to the second, and do nothing else.
class CallLedger {
 public:
  // `timer`: a timerfd of CLOCK_MONOTONIC.
  explicit CallLedger(FileDescriptor timer) : timer_(std::move(timer)) {}

  // Readable when an answer waits, or a call has become overdue.
  [[nodiscard]] int fd() const { return timer_.get(); }
  void Add(std::unique_ptr<Call> call);
  // Called once for each call, on any thread.
  void Finish(Call* call, std::optional<Error> error);
  [[nodiscard]] std::deque<std::unique_ptr<Call>> TakeAnswers();
  [[nodiscard]] bool AnyUnderWay();
  // Whether a call is overdue. A cancelled call never is.
  [[nodiscard]] bool AnyOverdue(std::chrono::steady_clock::time_point now);
  // Ends every call under way; false where one did not end in time. Such a call is lost: its answer
  // is that it was given up, and what gRPC may still write to is kept until gRPC ends it. Nothing
  // of gRPC is left in those that wait to be delivered.
  [[nodiscard]] bool CancelAll(std::chrono::milliseconds patience);
  [[nodiscard]] bool AnyLost();

 private:
  // With the mutex: sets the timer for what comes next.
  void Arm();

  const FileDescriptor timer_;
  std::mutex mutex_;  // guards what follows
  std::condition_variable finished_;
  std::unordered_map<Call*, std::unique_ptr<Call>> under_way_;
  std::unordered_map<Call*, std::unique_ptr<Call>> lost_;
  std::deque<std::unique_ptr<Call>> answers_;
};

}  // namespace jettison::cri
