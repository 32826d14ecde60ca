#include "rpc/calls.h"

#include <poll.h>

#include <chrono>

namespace jettison::cri {

bool AwaitAnswers(Calls& calls, Duration timeout, const std::function<bool()>& done) {
  using std::chrono::milliseconds;
  using std::chrono::steady_clock;
  const auto deadline = steady_clock::now() + timeout;
  for (;;) {
    calls.Deliver();
    if (done()) return true;
    const auto left = std::chrono::ceil<milliseconds>(deadline - steady_clock::now());
    if (left.count() <= 0) return false;
    pollfd answers{.fd = calls.fd(), .events = POLLIN, .revents = 0};
    (void)::poll(&answers, 1, static_cast<int>(left.count()));
  }
}

}  // namespace jettison::cri
