#pragma once

#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "containers/cri_container.h"
#include "kernel/readiness/lifetime.h"
#include "runtimes/cri/base/runtime_context.h"
#include "runtimes/cri/pods/pod_record.h"

namespace jettison::cri {

// Everything that the runtime has, told apart by who made it.
struct Found {
  Listing own;
  std::vector<api::ContainerStatusResponse> statuses;  // of its containers, in their order
  // By the ID of a sandbox: why the status of one of its containers is not known.
  std::map<std::string, Error, std::less<>> unknown;
  Listing of_others;

  // Why the status of a container in the newest of these sandboxes is not known; null: it is known.
  [[nodiscard]] const Error* WhyUnknown(const Sandboxes& sandboxes) const {
    const auto found = unknown.find(sandboxes.front()->id());
    return found == unknown.end() ? nullptr : &found->second;
  }
};

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
  // A status that does not come is waited for a few times before it counts as unknown.
  [[nodiscard]] Result<Found> FindAll(const Ids& known, Duration wait);
  // How the containers of a listing in these sandboxes stand.
  void AskAbout(const Sandboxes& sandboxes, const Listing& listing,
                std::function<void(Found)> done);

 private:
  // One question in two rounds; shared with its answers.
  struct Inquiry;

  void AskStatuses(const std::shared_ptr<Inquiry>& inquiry);

  RuntimeContext& context_;
  std::shared_ptr<Inquiry> inquiry_;
  int incomplete_ = 0;  // so many answers in a row lacked a status
  Lifetime lifetime_;
};

// Asks whether the runtime answers and is ready.
class ReadyProbe {
 public:
  explicit ReadyProbe(RuntimeContext& context) : context_(context) {}

  // Waits so long at most; whoever asks again before the answer has come waits for the same one.
  // kUnavailable: it has not come, or the runtime is not ready.
  [[nodiscard]] Result<void> Ask(Duration wait);

 private:
  // One question; shared with its answers.
  struct Probe {
    std::optional<Result<void>> outcome;
  };

  void Start();

  RuntimeContext& context_;
  std::shared_ptr<Probe> probe_;
};

}  // namespace jettison::cri
