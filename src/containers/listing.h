#pragma once

#include <cri.pb.h>

#include <set>
#include <string>
#include <vector>

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

}  // namespace jettison::cri
