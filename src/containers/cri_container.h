#pragma once

#include <cri.pb.h>

#include <set>
#include <string>
#include <utility>
#include <vector>

#include "containers/container_exit.h"
#include "ports/clock.h"
#include "rpc/calls.h"

namespace jettison::cri {

namespace api = ::runtime::v1;

// Everything that the runtime has, at one moment.
struct Listing {
  std::vector<api::PodSandbox> sandboxes;
  std::vector<api::Container> containers;
  // IDs of sandboxes and containers that were known when it was asked for; what is younger may be
  // missing in it.
  std::set<std::string, std::less<>> known;
};

// A container that CRI has, in a sandbox.
class CriContainer : public Anchor {
 public:
  // `calls` must outlive it.
  CriContainer(Calls& calls, std::string id) : calls_(calls), id_(std::move(id)) {}

  void AskHowItStands(Duration deadline, StandingAnswer answer) override;
  void TellToStop(Duration grace, Duration deadline, Done done) override;

 private:
  Calls& calls_;
  std::string id_;
};

// How it stands by the runtime's account.
[[nodiscard]] ContainerStanding StandingOf(const api::ContainerStatus& status);
// How a container in the state EXITED ended, by all that is known.
[[nodiscard]] ContainerExit ExitOf(const api::ContainerStatus& status, const KernelWord& seen,
                                   const Clock& clock);

}  // namespace jettison::cri
