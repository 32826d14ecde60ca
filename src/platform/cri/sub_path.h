#pragma once

#include <string>

#include "units/result.h"

namespace jettison::cri {

// Mounts what lies at `sub_path` within the folder `source` at `place`, and answers with `place`.
// The kernel resolves it beneath the source: links may lead anywhere within, never out, and what is
// mounted stays that even if a container changes the links afterwards. Missing folders are made. An
// earlier mount at `place` is replaced.
[[nodiscard]] Result<std::string> BindSubPath(const std::string& source,
                                              const std::string& sub_path,
                                              const std::string& place);

}  // namespace jettison::cri
