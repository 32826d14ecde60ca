#include "cli/ask/config_dir_option.h"

namespace jettison {

void AddConfigDir(CLI::App& command, std::string& folder) {
  command
      .add_option("--config-dir", folder,
                  "Folder of drop-ins, which are merged over the configuration")
      ->type_name("DIR");
}

}  // namespace jettison
