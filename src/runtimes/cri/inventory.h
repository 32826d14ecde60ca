#pragma once

#include <functional>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "containers/cri_container.h"
#include "kernel/readiness/lifetime.h"
#include "runtimes/cri/containers/runtime_context.h"
#include "runtimes/cri/pod_record.h"

namespace jettison::cri {

// Everything that the runtime has, told apart by who made it.
struct Found {
  Listing own;
  std::vector<api::ContainerStatusResponse> statuses;  // of its containers, in their order
  Listing of_others;
};

// What a listing tells of a container, for one of which the status does not come: whether it runs
// is then found in its group, and one that has ended counts as killed.
[[nodiscard]] api::ContainerStatusResponse StatusListed(const api::Container& container);

// Asks the runtime for what it has.
class Inventory {
 public:
  using Ids = std::set<std::string, std::less<>>;
  using Listed = std::function<void(Result<Listing>)>;

  explicit Inventory(RuntimeContext& context) : context_(context) {}
  Inventory(const Inventory&) = delete;
  Inventory& operator=(const Inventory&) = delete;
  ~Inventory() = default;

  // Both lists in one answer; `known`: as the listing has it.
  void List(Ids known, Listed listed);
  // Everything, and how the containers of this agent stand. Waits so long at most; whoever asks
  // again before the answers have come waits for the same ones. kUnavailable: they have not come.
  // Where no status comes at all, the runtime hangs, and this fails.
  [[nodiscard]] Result<Found> FindAll(const Ids& known, Duration wait);

 private:
  // One question in two rounds; shared with its answers.
  struct Inquiry;

  void AskStatuses(const std::shared_ptr<Inquiry>& inquiry);

  RuntimeContext& context_;
  std::shared_ptr<Inquiry> inquiry_;
  Lifetime lifetime_;
};

}  // namespace jettison::cri
