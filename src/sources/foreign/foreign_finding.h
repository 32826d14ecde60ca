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
  // By which list of a source, whose name is like no other's: what that list does not have any more
  // is gone (ForeignRoster::OnListed). Empty: there is none, and it is gone when its containers
  // are.
  std::string list;
  // What keeps its containers up; null: each stands for itself.
  std::shared_ptr<Base> base = nullptr;
  PodOrigin origin = PodOrigin::kRuntime;    // who made it
  bool unread = false;                       // this agent's own, which cannot be read
  bool spared = false;                       // RuntimePod::spared
  bool kill_at_once = false;                 // it is ended without being asked to
  std::vector<ForeignContainer> containers;  // those that run
  std::set<std::string> considered;          // IDs of all that ran when it was looked at
  std::vector<PodDisk::LocalVolume> local_volumes = {};  // as far as their places are known
  // The pod as the agent knows it, with these containers by their names.
  ForeignReading reading = {};
};

// Orders the containers by age, names them, and makes the reading of them and the identity. For a
// source that is not told the pod itself.
void Describe(ForeignFinding& finding);

}  // namespace jettison
