#pragma once

namespace CLI {
class App;
}

namespace jettison {

// `jettison inspect PODS`: what the agent would make of each pod before it has measured anything:
// its QoS class, what protects it, what it asks for, its containers' oom_score_adj. Exit status 0
// done, 1 the file could not be read or the answer written, 2 wrong usage or a pod that cannot be
// understood (the others are shown).
void AddInspect(CLI::App& app, int& exit_code);

}  // namespace jettison
