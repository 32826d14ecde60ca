#pragma once

#include <string>

#include "core/model/value.h"

namespace jettison {

// One document of a configuration file.
struct ConfigDocument {
  std::string file;  // as the user named it; relative paths inside count from its directory
  Value document;
};

}  // namespace jettison
