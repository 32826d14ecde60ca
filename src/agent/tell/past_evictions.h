#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "agent/kept/number_file.h"
#include "agent/tell/kept_eviction.h"
#include "core/units/result.h"

namespace jettison {

// Where the explanation of an eviction is written.
[[nodiscard]] std::string EvictionPath(const std::string& folder, std::uint64_t number);

// What earlier agents left of their evictions.
struct PastEvictions {
  struct Damage {
    std::string message;  // for the log
    std::string error;
  };
  std::uint64_t last_number = 0;          // the largest that may have been used
  KeptEvictions kept;                     // the last ones that can be parsed, in order
  std::vector<std::uint64_t> fallen_out;  // the numbers of files that are too old to be kept
  std::vector<Damage> damages;
};

// Reads them; there may be none. Fails if they are there and cannot be read: no number may be given
// then, because it may have been used. A damaged counter is renamed, and the files tell the number.
[[nodiscard]] Result<PastEvictions> ReadPastEvictions(const std::string& folder,
                                                      const NumberFile& counter,
                                                      std::size_t max_evictions);

}  // namespace jettison
