#pragma once

namespace CLI {
class App;
}

namespace jettison {

// Adds `jettison recommend`, which proposes thresholds out of recordings.
void AddRecommend(CLI::App& app, int& exit_code);

}  // namespace jettison
