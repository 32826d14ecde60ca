#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/units/duration.h"
#include "core/units/result.h"

namespace jettison {

// An image as its store lists it.
struct StoredImage {
  std::string id;                       // "sha256:..."
  std::vector<std::string> references;  // tags and digests
  std::uint64_t size_bytes = 0;
  bool pinned = false;
  // For how long it has been in the store; absent: nobody tells.
  std::optional<Duration> age = std::nullopt;
};

// What containers and pods use: image IDs, those that keep sandboxes alive included.
struct ImagesInUse {
  std::vector<std::string> ids;
};

// Folders of the host on the file systems where a runtime keeps things.
struct StorageFolders {
  std::string images;
  std::string containers;  // writable layers; empty: beside the images, as far as it tells
  friend bool operator==(const StorageFolders&, const StorageFolders&) = default;
};

// Where a runtime keeps its images. Calls return at once; each answer comes once, on the agent's
// own thread.
class ImageStore {
 public:
  virtual ~ImageStore() = default;

  // Asked once, when the runtime has just answered; waits for it some seconds at most.
  [[nodiscard]] virtual Result<StorageFolders> Folders() = 0;
  // Every image and which of them are in use, sandbox images included.
  virtual void List(
      std::function<void(Result<std::pair<std::vector<StoredImage>, ImagesInUse>>)> answer) = 0;
  // Removes an image with all its names. One that is gone is no error. The answer may come before
  // the space is free.
  virtual void Remove(const std::string& id, std::function<void(Result<void>)> answer) = 0;
};

}  // namespace jettison
