#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "containers/cri_container.h"
#include "kernel/readiness/lifetime.h"
#include "rpc/calls.h"
#include "runtimes/cri/containers/runtime_context.h"

namespace jettison::cri {

// Everything that the runtime has.
struct Found {
  Listing listing;
  // Of the containers of this agent, by ID; one that is gone by now has none.
  std::map<std::string, api::ContainerStatusResponse> statuses;
};

// What a listing tells of a container, for one of which the status does not come: whether it runs
// is then found in its group, and one that has ended counts as killed.
[[nodiscard]] api::ContainerStatusResponse StatusListed(const api::Container& container);

// Asks the runtime for what it has.
class Inventory {
 public:
  using Listed = std::function<void(Result<Listing>)>;
  using Status = Result<api::ContainerStatusResponse>;

  explicit Inventory(RuntimeContext& context) : context_(context) {}

  // Both lists in one answer.
  void List(Listed listed);
  // Everything, and how the containers of this agent stand. Waits so long at most; whoever asks
  // again before the answers have come waits for the same ones. kUnavailable: they have not come.
  // Where a status does not come, this fails, and all are asked for again. The third time the
  // listing counts for the containers that stay without one, unless no status comes at all.
  [[nodiscard]] Result<Found> FindAll(Duration wait);
  // Asks how one container stands.
  void AskStatus(const api::Container& container, std::function<void(Status)> answer);
  // How it stands by that answer, or, where it is refused, by the listing. Absent: it is gone.
  [[nodiscard]] std::optional<api::ContainerStatusResponse> StatusBy(
      const api::Container& container, Status answer) const;

 private:
  // One question in two rounds; shared with its answers.
  struct Inquiry;

  void AskStatuses(const std::shared_ptr<Inquiry>& inquiry);

  RuntimeContext& context_;
  std::shared_ptr<Inquiry> inquiry_;
  int incomplete_ = 0;  // inquiries in a row in which a status did not come
  Lifetime lifetime_;
};

}  // namespace jettison::cri
