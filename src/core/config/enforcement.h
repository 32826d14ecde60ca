#pragma once

#include "core/config/node_allocatable.h"
#include "core/thresholds/fields.h"

namespace jettison {

// Reads enforceNodeAllocatable, kubeReservedCgroup and systemReservedCgroup. A group without its
// entry in the list is not touched; an entry without its group is a fault, as in the kubelet.
void ReadEnforcement(const Fields& fields, NodeReservation& reservation);

}  // namespace jettison
