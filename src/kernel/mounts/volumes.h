#pragma once

#include <vector>

#include "core/model/pod.h"
#include "core/units/result.h"
#include "kernel/files/paths.h"
#include "kernel/readiness/disk_work.h"

namespace jettison::kernel {

// Checks that the path exists and has the type that the volume requires, and creates it for
// "DirectoryOrCreate" (mode 0755) and "FileOrCreate" (mode 0644, in a folder that exists). An empty
// type is not checked; the path is looked up all the same, so that a file system that does not
// answer is found here. Source: core/v1 HostPathType.
[[nodiscard]] Result<void> PrepareHostPath(const HostPathSource& source);

// Makes the pod's volumes below its folder; what is there already is kept, so that it can be done
// again for a pod that is adopted (a tmpfs does not outlive the machine's restart). Volumes that
// are the pod's own are made at once, those that touch paths of others by the steps. It takes both.
//   emptyDir             a folder that everybody may write to, unless the pod has given it another
//                        mode; medium "Memory": a tmpfs of the size limit. Where the pod has an
//                        fsGroup it belongs to that, and so does what is made in it
//   configMap, secret    a link to <root>/config/configmaps/<namespace>/<name> or
//                        <root>/config/secrets/<namespace>/<name>; an empty folder where an
//                        optional one is missing
//   hostPath             nothing here, but its type is checked, and made for ...OrCreate; one
//                        without a type need not be there, but what it is on has to answer
// Fails, naming the volume and what to do, where one is missing or of an unknown kind.
[[nodiscard]] Result<void> PrepareVolumes(const Paths& paths, const Pod& pod);
[[nodiscard]] std::vector<PathStep> VolumeSteps(const Paths& paths, const Pod& pod);

}  // namespace jettison::kernel
