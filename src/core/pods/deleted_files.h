#pragma once

#include <string_view>

namespace jettison {

// Names of VolumeStats that no volume can have. Under them are what the deleted files take that
// processes of a pod hold open, on the file system of the node and in writable layers. Without
// figures: it could not be read; not there: there are none, or they were not looked for because no
// disk is short. A kubelet never has them.
inline constexpr std::string_view kDeletedFiles = "(deleted files)";
inline constexpr std::string_view kDeletedInLayers = "(deleted files of writable layers)";

}  // namespace jettison
