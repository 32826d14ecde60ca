#pragma once

#include <string>
#include <vector>

#include "core/units/result.h"

namespace jettison::cri {

// A folder, a file or a link in an image. Everything belongs to root, and everybody may write to
// /tmp.
struct ImageEntry {
  enum class Kind : char { kFile = '0', kLink = '2', kFolder = '5' };

  std::string path;  // relative to the image's root; of a folder with a slash at the end
  Kind kind = Kind::kFolder;
  std::string content = {};  // of a file its bytes, of a link where it leads
};

// An image with one layer. Two that differ in any of this have different IDs.
struct OwnImage {
  std::string reference;  // with tag: "bed.local/app:1"
  std::vector<std::string> entrypoint;
  std::vector<std::string> arguments = {};  // when a container names none
  std::vector<ImageEntry> entries;
};

// An archive of images as `docker save` writes it, with `scratch` as a file for a while. Needs the
// program sha256sum.
[[nodiscard]] Result<std::string> ImageArchive(const std::vector<OwnImage>& images,
                                               const std::string& scratch);

}  // namespace jettison::cri
