#pragma once

#include <optional>
#include <string>

#include "core/units/duration.h"
#include "core/units/result.h"
#include "ports/image_store.h"
#include "rpc/verbose_info.h"

namespace jettison::cri {

class Calls;

// What a runtime tells of itself.
struct RuntimeFacts {
  std::string name;                       // "containerd"
  std::string version;                    // its own; the runtime chooses the form
  std::optional<std::string> not_ready;   // why it cannot run pods; absent: it can
  std::optional<std::string> no_network;  // why it has no network for pods; absent: it has
  RuntimeSettings settings;               // containerd tells them
  bool has_sandbox_image = false;         // false also where the image is not told
  Result<StorageFolders> folders;         // see CriImageStore::Folders
};

// Asks a runtime for them, and waits for each answer as long as `patience`, for that of the folder
// five seconds. Fails with the first answer that does not come or is an error. Only for a program
// that does nothing else meanwhile.
[[nodiscard]] Result<RuntimeFacts> AskRuntime(Calls& calls, Duration patience);
// The same over a connection of its own; `endpoint` as Connect has it.
[[nodiscard]] Result<RuntimeFacts> AskRuntime(const std::string& endpoint, Duration patience);

}  // namespace jettison::cri
