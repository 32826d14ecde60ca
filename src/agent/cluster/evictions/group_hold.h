#pragma once

#include "machine/log/log.h"
#include "ports/cgroups.h"
#include "sources/kubernetes/evictions/eviction_intent.h"

namespace jettison {

// Sets a limit of no processes on the group of an evicted pod, so that the kubelet can start
// nothing in it. A group that is gone is left alone. What fails is logged.
void HoldGroup(const kube::EvictionIntent& intent, Cgroups& groups, const Log& log);

// Restores the limit that the group had. False: it could not be restored, which is logged, and the
// pod can start no processes.
bool FreeGroup(const kube::EvictionIntent& intent, Cgroups& groups, const Log& log);

}  // namespace jettison
