#pragma once

#include <functional>
#include <memory>

#include "core/units/result.h"
#include "ports/cgroups.h"
#include "ports/clock.h"
#include "ports/container_runtime.h"
#include "runtimes/cri/containers/cri_options.h"

namespace jettison {

namespace cri {
class Calls;
struct Listing;
}  // namespace cri

// The CRI runtime, with what the finders of foreign pods on the same container runtime need.
class CriRuntime : public OwnRuntime {
 public:
  using Listener = std::function<void(const cri::Listing&)>;

  // Sets the function that receives every listing of the container runtime, whoever made the pods
  // in it; List calls it before it returns.
  virtual void SetListener(Listener listener) = 0;
};

// Runs pods through a container runtime that speaks CRI v1. What has to be quick or certain, the
// signal that ends a container and the news that it ended, goes through the kernel, so a runtime
// that hangs delays neither. See docs/cri-runtime.md. `group_end` ends
// groups of `cgroups`; both and `clock` must outlive it. Used
// by one thread.
//
// Fails where another agent works in the root, or it has pods of the other runtime. The runtime's
// destruction leaves what runs running.
[[nodiscard]] Result<std::unique_ptr<CriRuntime>> OpenCriRuntime(CriRuntimeOptions options,
                                                                 std::unique_ptr<cri::Calls> calls,
                                                                 Cgroups& cgroups,
                                                                 GroupEnd& group_end,
                                                                 const Clock& clock);

}  // namespace jettison
