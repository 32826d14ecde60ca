#pragma once

namespace CLI {
class App;
}

namespace jettison {

// `jettison complete -- WORD...`, which is not shown: what the shells' completion asks. The words
// are those behind the program's name, the last one is the one to be completed. Prints a line for
// each possibility, its description behind a tab, and ":files" where files may stand, too.
void AddComplete(CLI::App& app, int& exit_code);

}  // namespace jettison
