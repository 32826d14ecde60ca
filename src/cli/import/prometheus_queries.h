#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "sim/imported/node_directory.h"

namespace jettison {

// Selectors in PromQL that match what tells which node is what: nodes, instances, pods.
[[nodiscard]] std::vector<std::string> DiscoveryQueries(const std::set<std::string>& nodes);

// Selectors that together match all series of a node that are read; none matches what another one
// does. `directory` has learned what those above have found.
[[nodiscard]] std::vector<std::string> NodeQueries(const std::string& node,
                                                   const NodeDirectory& directory);

// A text as a regular expression (RE2) in a string of PromQL that matches it. Characters that
// neither can hold match any.
[[nodiscard]] std::string AsPattern(std::string_view text);

}  // namespace jettison
