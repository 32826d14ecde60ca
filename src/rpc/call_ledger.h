#pragma once

#include <google/protobuf/message_lite.h>
#include <grpcpp/client_context.h>

#include <chrono>
#include <condition_variable>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "core/units/result.h"
#include "ports/file_descriptor.h"

namespace jettison::cri {

// One call: under way, then waiting to be delivered. It ends on the thread that delivers, because
// with its context a channel may end, which waits for gRPC's threads.
struct LedgerCall {
  grpc::ClientContext context;
  std::shared_ptr<google::protobuf::MessageLite> response;
  // Called when it is delivered; null: it was, or nobody waits for it any more.
  std::function<void(std::optional<Error>)> done;
  std::optional<Error> error;
  // gRPC may fail to end a call at its deadline: it is cancelled at `overdue_at`, and answered with
  // `when_overdue`. Both stay as they are once the ledger has the call.
  std::chrono::steady_clock::time_point overdue_at = std::chrono::steady_clock::time_point::max();
  Error when_overdue;
};

// The calls under way and those that wait to be delivered, shared with gRPC's threads: these move a
// call from the first to the second, and do nothing else. What a call costs here does not depend on
// how many others there are.
class CallLedger {
 public:
  using Call = std::shared_ptr<LedgerCall>;

  // `timer`: a timerfd of CLOCK_MONOTONIC.
  explicit CallLedger(FileDescriptor timer) : timer_(std::move(timer)) {}

  // Readable when an answer waits, or EndOverdue has something to do.
  [[nodiscard]] int fd() const { return timer_.get(); }
  void Add(const Call& call);
  // Called once for each call, on any thread.
  void Finish(LedgerCall& call, std::optional<Error> error);
  // Those that nobody waits for any more are among them.
  [[nodiscard]] std::deque<Call> TakeAnswers();
  // Answers the calls that are overdue, and cancels them.
  void EndOverdue(std::chrono::steady_clock::time_point now);
  // Cancels every call under way; false if gRPC did not end one in time. None of them is delivered
  // any more.
  [[nodiscard]] bool CancelAll(std::chrono::milliseconds patience);

 private:
  using Time = std::chrono::steady_clock::time_point;

  // With the mutex: sets the timer for what comes next.
  void Arm();

  const FileDescriptor timer_;
  std::mutex mutex_;  // guards what follows
  std::condition_variable finished_;
  std::set<std::pair<Time, LedgerCall*>> under_way_;  // by when they are overdue
  std::deque<Call> answers_;
  // Those that it has not ended; some of them have been answered.
  std::map<const LedgerCall*, Call> with_grpc_;
  Time armed_for_ = Time::max();  // what the timer is set to; max: it is not set
};

}  // namespace jettison::cri
