#pragma once

#include <functional>
#include <string>
#include <variant>

#include "rpc/calls.h"
#include "rpc/containerd_task.h"
#include "containers/container_exit.h"

namespace jettison::cri {

// A container that CRI has, in a sandbox.
struct CriContainer {
  std::string id;
};

// What a running container hangs on: who tells how it ended, who has to hear that it is stopped,
// and what keeps it up. What has to be quick, signals and the news of an end, goes past them.
using Anchor = std::variant<CriContainer, TaskKey>;

// How a container stands by the word of what it hangs on. kNotFound: that has forgotten it.
void AskHowItStands(Calls& calls, const Anchor& anchor, Duration deadline,
                    Answer<ContainerStanding> answer);

// Tells that the container is to end within `grace`, or has been killed where that is zero. Not
// answered where what it hangs on hears of an end by itself.
void TellToStop(Calls& calls, const Anchor& anchor, Duration grace, Duration deadline,
                std::function<void(const Result<void>&)> done);

// What keeps the containers of a pod up, and has to be taken down after them.
struct CriSandbox {
  std::string id;
};
// Each task stands for itself.
struct NothingElse {};
using Base = std::variant<CriSandbox, NothingElse>;

// Takes it down, so that nobody starts anything in it again; false: there is nothing to take down,
// and nothing is answered.
bool TakeDown(Calls& calls, const Base& base, Duration deadline,
              std::function<void(const Result<void>&)> done);

}  // namespace jettison::cri
