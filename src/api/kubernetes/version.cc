#include "api/kubernetes/version.h"

namespace jettison {

std::string_view Version() {
  return JETTISON_VERSION;
}

}  // namespace jettison
