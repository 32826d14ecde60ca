#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "core/units/duration.h"
#include "core/units/result.h"
#include "ports/image_store.h"
#include "rpc/calls.h"
#include "rpc/verbose_info.h"

namespace jettison::cri {

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

// A condition in a runtime's answer; null: it is not told.
[[nodiscard]] const api::RuntimeCondition* ConditionIn(const api::StatusResponse& status,
                                                       std::string_view type);

// Asks a runtime for them over a connection of its own (`endpoint` as Connect has it), and waits
// for each answer as long as `patience`, for that of the folder five seconds. Fails with the first
// answer that does not come or is an error. Only for a program that does nothing else meanwhile.
[[nodiscard]] Result<RuntimeFacts> AskRuntime(const std::string& endpoint, Duration patience);

}  // namespace jettison::cri
