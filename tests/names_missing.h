#pragma once

#include <algorithm>
#include <iterator>
#include <set>
#include <string>
#include <vector>

namespace jettison {

// The names of `wanted` that `there` lacks: a test that fails says just these.
inline std::vector<std::string> NamesMissing(const std::set<std::string>& wanted,
                                             const std::set<std::string>& there) {
  std::vector<std::string> missing;
  std::ranges::set_difference(wanted, there, std::back_inserter(missing));
  return missing;
}

}  // namespace jettison
