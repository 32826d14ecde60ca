#pragma once

#include <cstdint>
#include <optional>

#include "core/model/container_record.h"
#include "core/units/duration.h"
#include "ports/clock.h"

namespace jettison {

// What is known of an end without asking the container runtime.
struct KernelWord {
  std::optional<int> wait_status;  // as wait(2) gives it
  bool oom_killed = false;
  // Its group could not be asked any more, and one of the pod's processes was OOM-killed while
  // it ran. If it was killed, too, then so.
  bool oom_killed_in_pod = false;
  Instant started;
  Instant finished;  // when the end was seen
};

// When it was what the runtime stamped with so many nanoseconds of real time; `otherwise` where it
// gives none. Not before `earliest`.
[[nodiscard]] Instant InstantOfNs(std::int64_t ns, Instant otherwise, const Clock& clock,
                                  Instant earliest = Instant::min());

// How a container ended, by the word of what runs it.
struct ReportedEnd {
  int exit_code = 0;  // 128 and the signal's number where one ended it
  bool oom_killed = false;
  std::int64_t finished_at = 0;  // nanoseconds of real time; 0: not told
};

// How it stands by the same.
struct ContainerStanding {
  enum class State : std::uint8_t { kLives, kEnded, kUnknown };
  State state = State::kUnknown;
  ReportedEnd end = {};  // where it has ended
};

// How it ended, by all that is known. It began when the kernel word says; it ended when the runtime
// says, unless the kernel word has it sooner or the runtime does not say.
[[nodiscard]] ContainerExit ExitOf(const ReportedEnd& end, const KernelWord& seen,
                                   const Clock& clock);
// The same without the runtime: its wait status, or, where that is unknown, as if it had been
// killed (137, as the kubelet counts a container of unknown status).
[[nodiscard]] ContainerExit ExitOf(const KernelWord& seen);

}  // namespace jettison
