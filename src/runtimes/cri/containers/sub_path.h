#pragma once

#include <atomic>
#include <string>

#include "core/units/result.h"

namespace jettison::cri {

struct SubPath {
  std::string source;  // the folder of the volume; a link to it is followed
  std::string path;    // within it, relative
  // The operator keeps the source; nothing is made there. Where it is a folder of the pod's own all
  // the same, in place of one that is optional and missing, folders are made as anywhere.
  bool kept_by_operator = false;
};

// Mounts it at `place`. The kernel resolves the path beneath the source:
// links may lead anywhere within, never out, and what is mounted stays that even if a container
// changes the links afterwards. Missing folders are made. What is mounted within is not shown. An
// earlier mount at `place` is replaced; no other mount of the host changes. Once it is not `wanted`
// any more nothing is made at `place`.
[[nodiscard]] Result<void> BindSubPath(const SubPath& sub_path, const std::string& place,
                                       const std::atomic<bool>& wanted = true);

}  // namespace jettison::cri
