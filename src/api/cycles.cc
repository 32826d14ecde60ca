#include "api/cycles.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "codec/recordings/scenario_writer.h"

namespace jettison {

std::string CyclesText(const Snapshot& snapshot, std::size_t count) {
  const Profile profile = snapshot.node ? snapshot.node->config.profile : Profile::kStandalone;
  const std::size_t all = snapshot.cycles.size();
  std::vector<std::string> lines;  // newest first
  std::size_t bytes = 0;
  while (lines.size() < std::min(count, all)) {
    std::string line;
    WriteCycle(*snapshot.cycles[all - 1 - lines.size()], profile, line);
    bytes += line.size() + 1;
    if (bytes > kMostCyclesBytes && !lines.empty()) break;
    lines.push_back(std::move(line));
  }
  std::string text;
  text.reserve(bytes);
  for (; !lines.empty(); lines.pop_back()) (text += lines.back()) += '\n';
  return text;
}

}  // namespace jettison
