#pragma once

#include "runtimes/process/shim/order.h"
#include "runtimes/process/shim/protocol.h"

namespace jettison::shim {

// What went wrong; `detail` points into the order or at a literal.
struct Failure {
  Stage stage = Stage::kOrder;
  int error = 0;
  const char* detail = "";
};

// Moves the caller into a mount namespace of its own and mounts the order's volumes there, in their
// order. Mounts that the host makes or undoes later still reach the namespace, nothing gets out of
// it: a volume that the host unmounts is not kept alive by a container that never asked for it.
// Without the right to make a namespace it goes on as long as nothing is to be mounted.
[[nodiscard]] bool MountVolumes(const Order& order, Failure& failure);

// Joins the mount namespace that a hook's shim was started with.
[[nodiscard]] bool JoinMountNamespace(Failure& failure);

}  // namespace jettison::shim
