#pragma once

#include "runtimes/process/shim/mounts.h"
#include "runtimes/process/shim/order.h"

namespace jettison::shim {

// Empties and unmounts the order's volumes, then deletes its trees. Goes on after a failure and
// tells the first one. What is gone already is no failure; no mount is ever crossed.
[[nodiscard]] bool Remove(const Order& order, Failure& failure);

}  // namespace jettison::shim
