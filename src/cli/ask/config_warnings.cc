#include "cli/ask/config_warnings.h"

#include "cli/terminal/output.h"

namespace jettison {

void ConfigWarnings::Tell(const Faults& warnings) {
  for (const Fault& warning : warnings) {
    const auto [text, is_new] = told_.insert(Describe(warning));
    if (is_new) PrintError("jettison: warning: {}\n", *text);
  }
}

}  // namespace jettison
