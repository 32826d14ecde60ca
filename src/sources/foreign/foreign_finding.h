#pragma once

#include <memory>
#include <set>
#include <string>
#include <vector>

#include "core/model/pod_origin.h"
#include "ports/pod_disk.h"
#include "sources/foreign/base.h"
#include "sources/foreign/foreign_pod_value.h"

namespace jettison {

// A foreign pod as it was found.
struct ForeignFinding {
  ForeignIdentity identity;
  // The list of a source by which the pod was found; its name is unique. A pod that the list no
  // longer contains is gone (ForeignRoster::OnListed). Empty: there is no list, and the pod is gone
  // when its containers have ended.
  std::string list;
  // What its containers belong to; null: each container stands for itself.
  std::shared_ptr<Base> base = nullptr;
  PodOrigin origin = PodOrigin::kRuntime;    // who made it
  bool spared = false;                       // RuntimePod::spared
  bool kill_at_once = false;                 // killed without a grace period
  std::vector<ForeignContainer> containers;  // those that run
  std::set<std::string> considered;          // IDs of all that ran when it was looked at
  std::vector<PodDisk::LocalVolume> local_volumes = {};  // as far as their places are known
  // The pod in the form that the agent uses, with these containers by their names.
  ForeignReading reading = {};
};

// Orders the containers by age, names them, and makes `reading` from them and the identity. For a
// source that does not get the pod's specification.
void Describe(ForeignFinding& finding);

}  // namespace jettison
