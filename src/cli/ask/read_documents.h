#pragma once

#include <string>
#include <vector>

#include "core/config/config_document.h"
#include "core/model/fault.h"
#include "core/model/value.h"
#include "core/units/result.h"

namespace jettison {

// The text of a file; up to 16 MiB are read. The error does not name it.
[[nodiscard]] Result<std::string> TextOf(const std::string& file);

[[nodiscard]] bool IsKubeletConfiguration(const Value& document);
// Of keys that a KubeletConfiguration has twice, leaves the last one, as the kubelet does. Returns
// a warning for each.
[[nodiscard]] Faults LeaveLastKeys(const std::string& file, Value& kubelet);

// What becomes of a file that holds nothing. A drop-in may have been left empty on purpose; while
// it is being written, it looks the same.
enum class Empty { kAllowed, kFaultUnlessDropIn, kFault };

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
  // A regular file is empty where it must not be, or cannot be parsed. It looks like that while it
  // is being written, too.
  bool half_written = false;
};
// Reads the files, and the drop-ins: files in the folder whose names end in .yaml, .yml, .json or
// .conf and do not begin with a dot, in the order of their names (bytes). Folders in it are not
// looked into. A drop-in that only has comments is not empty.
[[nodiscard]] DocumentsReading ReadDocuments(const ConfigSources& sources, Empty empty);

}  // namespace jettison
