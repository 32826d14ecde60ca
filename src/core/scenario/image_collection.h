#pragma once

#include <set>
#include <string>
#include <vector>

#include "core/decide/image_gc.h"

namespace jettison {

// One image collection to be replayed: what the collector knows, and which removals the runtime
// would refuse.
struct ImageCollection {
  std::string name;
  ImageGcMode mode = ImageGcMode::kGarbageCollect;
  ImageGcPolicy policy;
  ImageGcTimes times;
  ImageFsUsage image_fs;
  std::vector<ImageRecord> images;
  std::set<std::string, std::less<>> refused;  // ids whose removal fails
};

}  // namespace jettison
