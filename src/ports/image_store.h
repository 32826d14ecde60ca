#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "core/units/result.h"

namespace jettison {

// An image as its store lists it.
struct StoredImage {
  std::string id;                       // "sha256:..."
  std::vector<std::string> references;  // tags and digests
  std::uint64_t size_bytes = 0;
  bool pinned = false;
};

// IDs of the images that containers and pods use, including the images of sandboxes.
struct ImagesInUse {
  std::vector<std::string> ids;
};

// Folders of the host, one on each file system that a runtime stores things on.
struct StorageFolders {
  std::string images;
  std::string containers;  // writable layers; empty: with the images, or not known
  friend bool operator==(const StorageFolders&, const StorageFolders&) = default;
};

// Lists and removes the images of a runtime. Calls return at once; each answer comes once, on the
// agent's own thread.
class ImageStore {
 public:
  virtual ~ImageStore() = default;

  // Where they lie. The answer comes within a few seconds, from a runtime that hangs as well.
  virtual void Folders(std::function<void(Result<StorageFolders>)> answer) = 0;
  // Every image and which of them are in use, sandbox images included.
  virtual void List(
      std::function<void(Result<std::pair<std::vector<StoredImage>, ImagesInUse>>)> answer) = 0;
  // Removes an image with all its names. An image that is gone already is no error. The answer may
  // come before the space is free.
  virtual void Remove(const std::string& id, std::function<void(Result<void>)> answer) = 0;
};

}  // namespace jettison
