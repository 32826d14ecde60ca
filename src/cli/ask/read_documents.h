#pragma once

#include <string>
#include <vector>

#include "core/config/config_document.h"
#include "core/model/fault.h"
#include "core/units/result.h"

namespace jettison {

// The text of a file.
[[nodiscard]] Result<std::string> TextOf(const std::string& file);

// What becomes of a file that holds nothing.
enum class Empty : bool { kAllowed, kFault };

struct DocumentsReading {
  std::vector<ConfigDocument> documents;
  Faults faults;  // files that cannot be read or parsed
};
[[nodiscard]] DocumentsReading ReadDocuments(const std::vector<std::string>& files, Empty empty);

}  // namespace jettison
