#include "api/cycles.h"

#include <algorithm>

#include "recordings/scenario_writer.h"

namespace jettison {

std::string CyclesText(const Snapshot& snapshot, std::size_t count) {
  const Profile profile = snapshot.node ? snapshot.node->config.profile : Profile::kStandalone;
  const std::size_t all = snapshot.cycles.size();
  std::string text;
  for (std::size_t i = all - std::min(count, all); i < all; ++i) {
    WriteCycle(*snapshot.cycles[i], profile, text);
    text += '\n';
  }
  return text;
}

}  // namespace jettison
