#pragma once

#include <string>

#include "platform/cri/calls.h"

namespace jettison::cri {

// A container that containerd has and CRI does not know.
struct TaskKey {
  std::string of;  // the namespace
  std::string id;  // unique in it
};

// What CRI would tell of a container, by what containerd tells of its first process: state, exit
// code, ID. CREATED where it has not been started; a container whose task is gone is kNotFound.
void AskTaskStatus(Calls& calls, const TaskKey& key, Duration deadline,
                   Answer<api::ContainerStatusResponse> answer);

}  // namespace jettison::cri
