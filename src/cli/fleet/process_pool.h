#pragma once

#include <cstddef>
#include <functional>
#include <string>

namespace jettison {

// How many processors this process may use: by its affinity, and by the quota of its control group.
[[nodiscard]] std::size_t ProcessorsAvailable();

// What came of a piece of work.
struct PieceResult {
  std::string text;
  std::string death;  // how its process ended before it was done; empty: it is done
};

// Does `count` pieces of work in up to `jobs` child processes; this process must have one thread.
// `work` runs in a child. `take` runs here, with every result in the order of the pieces; when it
// returns false, all work ends. At most four results per job wait for an earlier one. Returns false
// where `take` returned false, or no process could be started (errno says why).
[[nodiscard]] bool DoInProcesses(std::size_t count, std::size_t jobs,
                                 const std::function<std::string(std::size_t piece)>& work,
                                 const std::function<bool(std::size_t piece, PieceResult)>& take);

}  // namespace jettison
