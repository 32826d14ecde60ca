#pragma once

namespace CLI {
class App;
}

namespace jettison {

// `jettison replay FILE`: scenarios and image collections in, what the agent would have done out.
// Exit status 0 done, 1 a file could not be read or written, 2 wrong usage or an invalid record.
void AddReplay(CLI::App& app, int& exit_code);

}  // namespace jettison
