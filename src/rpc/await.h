#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <utility>

#include "core/units/duration.h"
#include "core/units/result.h"
#include "rpc/calls.h"

namespace jettison::cri {

// Delivers answers until `done`, for `timeout` at most; whether it is done. For the few moments in
// which there is nothing else to do, the start above all: it blocks, and callbacks of other calls
// run meanwhile.
bool AwaitAnswers(Calls& calls, Duration timeout, const std::function<bool()>& done);

// Makes one call that has a deadline, and awaits its answer in the same way. kDeadlineExceeded
// where none comes: a call is answered at its deadline at the latest, so calls that are not ours
// hold it up.
template <typename Response>
[[nodiscard]] Result<Response> AwaitAnswer(Calls& calls, Duration deadline,
                                           const std::function<void(Answer<Response>)>& start) {
  constexpr Duration kAfterDeadline = std::chrono::milliseconds(500);
  const auto answer = std::make_shared<std::optional<Result<Response>>>();
  start([answer](Result<Response> given) { answer->emplace(std::move(given)); });
  if (!AwaitAnswers(calls, deadline + kAfterDeadline, [&] { return answer->has_value(); })) {
    return Fail(ErrorCode::kDeadlineExceeded, "the runtime does not answer");
  }
  return std::move(**answer);
}

}  // namespace jettison::cri
