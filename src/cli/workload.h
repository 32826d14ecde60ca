#pragma once

namespace CLI {
class App;
}

namespace jettison {

// Adds `jettison workload ...`, hidden from the help: what the pods of the demo and of the live
// tests run. Each kind uses up one resource at a steady rate and then sleeps until it is told to
// end.
void AddWorkload(CLI::App& app, int& exit_code);

}  // namespace jettison
