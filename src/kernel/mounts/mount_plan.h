#pragma once

#include <string>
#include <vector>

#include "core/model/pod.h"
#include "core/units/result.h"
#include "kernel/files/paths.h"

namespace jettison::kernel {

// One volume to be mounted for a container.
struct PlannedMount {
  std::string source;    // an absolute path of the host: the volume's root
  std::string sub_path;  // below the source; empty: the source itself
  std::string target;    // absolute, without "." or a doubled slash
  bool read_only = false;
  // A configMap or secret, whose content is the operator's: nothing may be made in it.
  bool kept_by_operator = false;
};

// The volumes of a container in the order in which they are mounted: outer mount points before
// those within. configMap and secret volumes are read-only always. Fails, naming the field, on a
// mount path that is not absolute or has "..", on "/", on two volumes at one path, on a sub path
// that leads out of its volume, and on a volume that the pod does not have.
[[nodiscard]] Result<std::vector<PlannedMount>> PlanMounts(const kernel::Paths& paths,
                                                           const Pod& pod,
                                                           const Container& container);

// Where the content of a volume lies on the host.
[[nodiscard]] std::string SourceOf(const kernel::Paths& paths, const Pod& pod,
                                   const Volume& volume);

}  // namespace jettison::kernel
