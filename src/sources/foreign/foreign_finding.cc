#include "sources/foreign/foreign_finding.h"

#include <algorithm>
#include <string_view>
#include <utility>

namespace jettison {

void Describe(ForeignFinding& finding) {
  std::vector<ForeignContainer>& containers = finding.containers;
  std::sort(containers.begin(), containers.end(), [](const auto& a, const auto& b) {
    return std::pair(a.created_at, std::string_view(a.id)) <
           std::pair(b.created_at, std::string_view(b.id));
  });
  NameContainers(containers);
  finding.reading = ReadForeignPod(finding.identity, containers);
}

}  // namespace jettison
