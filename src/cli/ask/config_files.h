#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cli/ask/ask_kubelet.h"
#include "cli/ask/read_documents.h"
#include "core/config/read_config.h"
#include "core/config_layers/config_document.h"

namespace jettison {

// Reads the configuration that these files make together: YAML or JSON, with any number of
// documents per file, and drop-ins over them. A file that cannot be read or parsed is a fault like
// any other, and the rest is read all the same, so that one run reports every fault. The kubelet is
// not asked for its configuration.
[[nodiscard]] ConfigReading ReadConfigFiles(const ConfigSources& sources);

// The same with `source: kubernetes` heeded: the kubelet is asked for its configuration, too.
[[nodiscard]] ConfigReading ReadConfigBesideKubelet(const ConfigSources& sources,
                                                    const Patience& patience);

// Reads the configuration of a running agent, first and again. It belongs to one thread at a time.
class ConfigRereader {
 public:
  ConfigRereader(ConfigSources sources, Patience patience)
      : sources_(std::move(sources)),
        patience_(std::move(patience)),
        quiet_({.in_all = patience_.in_all, .between = patience_.between}) {}

  // Before the agent runs: as ReadConfigBesideKubelet. A file without a document is a fault, except
  // for a drop-in: nobody names a file for nothing, so its text has been lost.
  [[nodiscard]] ConfigReading ReadFirst();

  // Reads everything again. An empty drop-in is a fault, too, because a file looks like that while
  // it is being written. So is a kubelet's configuration that cannot be read, and a drop-in folder
  // that is gone.
  [[nodiscard]] ConfigReading ReadAgain();

  // The kubelet's alone, beside ours as it was read last: ours may be half mended by now. Absent:
  // it is what it was, or cannot be read for the reason that was told the last time.
  [[nodiscard]] std::optional<ConfigReading> LookAtKubelet();

 private:
  // Remembers what holds from now on, where nothing is wrong with it.
  void Keep(std::vector<ConfigDocument> ours, std::string theirs, const ConfigReading& reading);

  const ConfigSources sources_;
  const Patience patience_;           // of the first time
  const Patience quiet_;              // of an agent that runs, which has a log of its own
  std::vector<ConfigDocument> ours_;  // as read last
  std::string theirs_;                // the kubelet's, as read last; empty: not known
  std::string complaint_;             // what a look has told of, until one succeeds
};

}  // namespace jettison
