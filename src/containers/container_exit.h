#pragma once

#include <cstdint>
#include <functional>
#include <optional>

#include "core/model/runtime_records.h"
#include "core/units/duration.h"
#include "core/units/result.h"
#include "ports/clock.h"

namespace jettison {

// What is known of an end without asking the container runtime.
struct KernelWord {
  std::optional<int> wait_status;  // as wait(2) gives it
  bool oom_killed = false;
  // The container's group was gone already, and one of the pod's processes was OOM-killed while the
  // container ran. If the container was killed, it counts as OOM-killed.
  bool oom_killed_in_pod = false;
  Instant started;
  Instant finished;  // when the end was seen
};

// The instant for a runtime's time stamp in nanoseconds of real time; `otherwise` where there is
// none (0). Not before `earliest`.
[[nodiscard]] Instant InstantOfNs(std::int64_t ns, Instant otherwise, const Clock& clock,
                                  Instant earliest = Instant::min());

// How a container ended, as its keeper reports it.
struct ReportedEnd {
  int exit_code = 0;  // 128 and the signal's number where one ended it
  bool oom_killed = false;
  std::int64_t finished_at = 0;  // nanoseconds of real time; 0: not told
};

// The state of a container, as its keeper reports it.
struct ContainerStanding {
  enum class State : std::uint8_t { kLives, kEnded, kUnknown };
  State state = State::kUnknown;
  ReportedEnd end = {};  // where it has ended
};

// Combines the report of the runtime with what the kernel showed. The start is the kernel's; the
// end is the runtime's, unless the kernel saw it earlier or the runtime does not report it.
[[nodiscard]] ContainerExit ExitOf(const ReportedEnd& end, const KernelWord& seen,
                                   const Clock& clock);
// The exit without a report of the runtime: by the wait status, or, where that is unknown, as if
// the container had been killed (137, as the kubelet counts a container of unknown status).
[[nodiscard]] ContainerExit ExitOf(const KernelWord& seen);

// The party that keeps a container: it reports how the container ended, and it has to be told when
// the container is stopped. Urgent operations, signals and the news of an end, go through the
// kernel instead. Each kind of keeper is a class of its own.
class ContainerKeeper {
 public:
  using StandingAnswer = std::function<void(Result<ContainerStanding>)>;
  using Done = std::function<void(const Result<void>&)>;

  virtual ~ContainerKeeper() = default;

  // Asks the keeper for the state of the container. kNotFound: the keeper no longer knows the
  // container.
  virtual void AskHowItStands(Duration deadline, StandingAnswer answer) = 0;
  // Tells the keeper that the container is to end within `grace`, or, where that is zero, that it
  // has been killed. `done` is not called where the keeper notices the end of a container itself.
  virtual void TellToStop(Duration grace, Duration deadline, Done done) = 0;
};

}  // namespace jettison
