#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace jettison {

// One way to go on with a word.
struct Completion {
  std::string text;         // the whole word
  std::string description;  // may be empty
};

struct Completions {
  std::vector<Completion> words;
  bool files = false;  // files may stand here, too
};

// What stands on the command line behind the program's name; the last word is to be completed and
// may be empty. "--option=value" may be one word or, as bash parts them, three.
using Words = std::vector<std::string>;

// Names that are not known before: pods or evictions of the running agent. The argument is the
// value of --server, where it was given.
using RunningNames = std::function<std::vector<Completion>(const std::optional<std::string>&)>;

// How the last word may go on, by what the command line knows: commands, options, their values.
// Only what begins with it. `pods` is asked where a pod is wanted.
[[nodiscard]] Completions CompletionsOf(const CLI::App& app, const Words& words,
                                        const RunningNames& pods);

}  // namespace jettison
