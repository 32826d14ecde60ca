#pragma once

#include <optional>
#include <string>

#include "core/units/duration.h"

namespace jettison {

// What the agent does in a cluster besides following the pods of its node. Nothing here waits.
class ClusterPresence {
 public:
  virtual ~ClusterPresence() = default;

  // Does what is due by now. Must be called when `fd` is readable, when an answer to any call has
  // arrived, and at NextDeadline.
  virtual void Advance(Instant now) = 0;
  [[nodiscard]] virtual std::optional<Instant> NextDeadline() const = 0;
  // Readable when the disk has something to tell.
  [[nodiscard]] virtual int fd() const = 0;
  // Why nothing is known of the node: the cluster has none of its name. Empty: it has one, as far
  // as is known.
  [[nodiscard]] virtual std::string WhyNodeIsMissing() const = 0;
  // Begins to remove the agent's conditions and taints from the node. Returns whether that is over,
  // or has taken too long.
  [[nodiscard]] virtual bool Stop(Instant now) = 0;
  // Saves what the next agent has to do. This is the last call.
  virtual void Finish() = 0;
};

}  // namespace jettison
