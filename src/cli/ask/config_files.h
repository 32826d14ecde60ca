#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/terminal/output.h"
#include "core/config/agent_config.h"
#include "core/config/read_config.h"
#include "core/model/fault.h"
#include "core/model/value.h"
#include "core/units/duration.h"
#include "core/units/result.h"

namespace jettison {

// The text of a file; up to 16 MiB are read. The error does not name it.
[[nodiscard]] Result<std::string> TextOf(const std::string& file);

// Its documents. Of a key that a KubeletConfiguration has twice the last one counts, as for the
// kubelet, and `warnings` has a line for each; anywhere else `faults` has.
[[nodiscard]] Result<std::vector<Value>> ConfigDocumentsIn(const std::string& file,
                                                           std::string_view text, Faults& warnings,
                                                           Faults& faults);

// What a configuration is read from.
struct ConfigSources {
  std::vector<std::string> files;
  std::string drop_ins = {};  // a folder; empty: none
  // A file "-" is standard input, which what is found calls so. It can be read once only.
  bool dash_is_standard_input = false;
};

struct DocumentsReading {
  std::vector<ConfigDocument> documents;  // of the files, then of the drop-ins by their names
  Faults warnings;                        // keys that a KubeletConfiguration has twice
  Faults missing;                         // a folder of drop-ins that is not there
  Faults faults;                          // what cannot be read or parsed
  bool unread = false;                    // something cannot be read
};
// Reads the files, and the drop-ins: files in the folder whose names end in .yaml, .yml, .json or
// .conf and do not begin with a dot, in the order of their names (bytes). Folders in it are not
// looked into. A file that holds nothing is a fault. A drop-in may have been left empty on purpose;
// while it is being written, it looks the same. One that only has comments is not empty.
[[nodiscard]] DocumentsReading ReadDocuments(const ConfigSources& sources,
                                             bool empty_drop_in_is_fault = false);

// Where the configuration of the kubelet beside the agent is to be had.
struct KubeletQuestion {
  std::string file;        // it stands there; empty: the API server is asked
  std::string kubeconfig;  // empty: as the service account of the pod that this runs in
  std::string node;
};
// As `kubernetes` and `nodeName` of a configuration say.
[[nodiscard]] KubeletQuestion QuestionOf(const AgentConfig& config);

struct KubeletAnswer {
  KubeletSide side;
  std::string text;     // as received; to be compared with later answers
  Faults warnings;      // keys that a file has twice
  Faults faults;        // a file is not understood
  bool unread = false;  // a file could not be read, or a server was away: it may be had later
};

// Reads the kubelet's file, or asks for the configuration that the kubelet runs with (configz):
// first the API server, and then the kubelet itself where the API server forbids it. A token is
// sent only to a kubelet whose certificate is from the cluster's CA. A file that can be read and is
// not understood is an answer: it may be half written. Waits 10 s at most.
[[nodiscard]] KubeletAnswer AskKubelet(const KubeletQuestion& question);

// Reads the configuration that these files make together: YAML or JSON, with any number of
// documents per file, and drop-ins over them. A file that cannot be read or parsed is a fault like
// any other, and the rest is read all the same, so that one run reports every fault. A file without
// a document is a fault, except for a drop-in. The kubelet is not asked for its configuration.
[[nodiscard]] ConfigReading ReadConfigFiles(const ConfigSources& sources);

// Tells on standard error what the author of a configuration may have meant differently.
void TellWarnings(const ConfigReading& reading);
// The same, with the faults.
void Tell(const ConfigReading& reading, CommandFaults& faults);

// Reads the configuration of a running agent, first and again. It belongs to one thread at a time.
class ConfigRereader {
 public:
  explicit ConfigRereader(ConfigSources sources) : sources_(std::move(sources)) {}

  // Before the agent runs: as ReadConfigFiles, with `source: kubernetes` heeded.
  [[nodiscard]] ConfigReading ReadFirst();

  // What is read with a configuration and must be without fault, too, before any of it holds:
  // certificates, for example. It is called with a reading without faults, and adds those it finds.
  using AlsoRead = std::function<void(ConfigReading&)>;

  // Reads everything again, and what belongs to it with `also`, which may be empty. An empty
  // drop-in is a fault, too, because a file looks like that while it is being written. So is a
  // kubelet's configuration that cannot be read, and a drop-in folder that is gone. A reading with
  // a fault is not what later looks build on.
  [[nodiscard]] ConfigReading ReadAgain(const AlsoRead& also = nullptr);

  // The kubelet's alone, beside ours as it was last read without fault: ours may be half mended by
  // now. Absent: it is what it was, or cannot be read for the reason that was told the last time. A
  // server is asked each tenth time.
  [[nodiscard]] std::optional<ConfigReading> LookAtKubelet();

 private:
  // What was read, beside the kubelet's; `is_running`: nothing else holds than what is known.
  ConfigReading Read(DocumentsReading read, bool is_running, const AlsoRead& also);
  // Remembers what holds from now on, where nothing is wrong with it.
  void Keep(std::vector<ConfigDocument> ours, KubeletAnswer answer, const ConfigReading& reading);

  const ConfigSources sources_;
  std::vector<ConfigDocument> ours_;  // as last read without fault
  std::string theirs_;                // the kubelet's beside them; empty: not known
  int looks_ = 0;                     // since a server was asked
  std::string complaint_;             // what a look has told of, until one succeeds
};

// Adds --config-dir to a command that reads a configuration. `folder` must outlive the parsing.
void AddConfigDir(CLI::App& command, std::string& folder);

// The name of the node: as configured, else that of the host. With `source: kubernetes` the
// environment comes before the host: a pod learns the name of its node by NODE_NAME.
[[nodiscard]] std::string NodeNameOf(const AgentConfig& config);

}  // namespace jettison
