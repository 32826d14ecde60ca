#pragma once

#include <string>
#include <vector>

#include "cli/simulate/sweep.h"
#include "core/units/result.h"
#include "sim/whatif/whatif_model.h"

namespace jettison {

// The policies that a command line asks for.
struct CandidateOptions {
  std::vector<std::string> policy_files;  // one policy each
  std::vector<std::string> sweeps;        // a grid, of each policy
};

struct Candidates {
  std::vector<CandidatePolicy> policies;
  WhatIfModel model;  // back-off and interval as the first file has them
};

// Reads and checks all of it. `base` is the policy that the recording begins with, against which
// sweeps are checked. Without a file sweeps are of that one; it always comes first. Fails with
// every fault, a line each.
[[nodiscard]] Result<Candidates> ReadCandidates(const CandidateOptions& options,
                                                const PassPolicy& base);

}  // namespace jettison
