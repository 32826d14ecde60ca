#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/units/duration.h"
#include "http/message.h"
#include "view/snapshot.h"

namespace jettison {

// One thing that a probe looks at.
struct Check {
  std::string_view name;
  std::string failure;  // why it failed; empty: it did not
};

// When the agent's loop last turned, and from when on that is waited for.
struct LoopTurns {
  std::optional<Instant> last;  // absent: it has not begun to
  Instant waiting_since;
};

// How long the loop may stand still: it turns when it is asked to. One that hangs is worth knowing
// of at once, and worth a restart only after a while.
inline constexpr Duration kHangs = std::chrono::seconds(5);
inline constexpr Duration kWorthRestart = std::chrono::seconds(30);

// Why the loop counts as one that hangs; empty: it has turned within `patience`. Before its first
// turn, kWorthRestart is allowed.
[[nodiscard]] std::string HangOf(const LoopTurns& turns, Instant now, Duration patience);

// Whether the agent lives, by its loop.
[[nodiscard]] std::vector<Check> LiveChecks(const LoopTurns& turns, Instant now, Duration patience);

// Whether it does its work: it lives, the runtime has answered, a pass was made, the last one no
// more than three intervals ago, the figures that thresholds need could be read, and so can the
// folder of manifests and, beside a kubelet, the list of the node's pods, and its state is kept. An
// API server that is away fails no check, because the agent continues with the pods that it knows.
// `snapshot` is null where the agent has not begun yet.
[[nodiscard]] std::vector<Check> ReadyChecks(const LoopTurns& turns, const Snapshot* snapshot,
                                             Instant now);

// The answer in the form of Kubernetes' own probes: 200 and "ok", or 500 and every check by name;
// with `verbose` these in any case. `probe`: "livez".
[[nodiscard]] HttpResponse ProbeAnswer(std::string_view probe, const std::vector<Check>& checks,
                                       bool verbose);

}  // namespace jettison
