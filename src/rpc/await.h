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

// Delivers answers until `done` is true, or for `timeout` at most; returns whether it is. It
// blocks, and callbacks of other calls run meanwhile, so it is for moments when there is nothing
// else to do, such as the start.
bool AwaitAnswers(Calls& calls, Duration timeout, const std::function<bool()>& done);

// Makes one call that has a deadline, and awaits its answer in the same way. kDeadlineExceeded
// where no answer comes. Other calls may delay it, because each is answered by its own deadline
// only.
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
