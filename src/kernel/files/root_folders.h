#pragma once

#include "core/units/result.h"
#include "kernel/files/paths.h"

namespace jettison::kernel {

// Makes the folders of a runtime's root. Nobody but their owner and its group may enter the folder
// of the pods, as with the kubelet (mode 0750): everybody may write to the volumes in it. The mode
// of one that is there already is corrected.
[[nodiscard]] Result<void> MakeRootFolders(const Paths& paths);

}  // namespace jettison::kernel
