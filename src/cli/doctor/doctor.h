#pragma once

namespace CLI {
class App;
}

namespace jettison {

// `jettison doctor [--config FILE...] [--kubeconfig FILE [--node NAME]] [--output text|json]`: what
// this host, and a cluster, offer to the agent and what is missing, what that costs and how to get
// it. Exit status 0 everything needed is there, 1 something needed is missing, 2 wrong usage or
// invalid configuration.
void AddDoctor(CLI::App& app, int& exit_code);

}  // namespace jettison
