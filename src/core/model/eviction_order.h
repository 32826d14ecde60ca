#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace jettison {

// One pod to be failed: everything that the kill, the pod's status and the event need.
struct EvictionOrder {
  std::string pod_uid;
  std::int64_t grace_period_seconds = 0;
  std::string reason = "Evicted";  // of the status
  std::string message;             // of the status, the event and the condition
  std::map<std::string, std::string, std::less<>> annotations;  // of the event
  bool disruption_target = false;  // sets condition DisruptionTarget, reason TerminationByKubelet
  bool soft = false;               // for a soft threshold
  // A soft eviction that the API server permits, and leaves to the agent; otherwise it carries out
  // what it permits.
  bool left_to_agent = false;
};

// As much of an EvictionOrder as the signal needs. The UID is owned by the pod's facts or the
// order.
struct EvictionSignal {
  std::string_view pod_uid;
  std::int64_t grace_period_seconds = 0;
  bool soft = false;
};

// An eviction that has been decided. Its order, which has the message, is composed only when it is
// asked for: a pod that can be signalled at once is signalled before that, because nothing is to be
// allocated between a crossed threshold and the signal.
class DueEviction {
 public:
  // What `signal` refers to must outlive this.
  explicit DueEviction(const EvictionSignal& signal) : signal_(signal) {}
  DueEviction(const DueEviction&) = delete;
  DueEviction& operator=(const DueEviction&) = delete;
  virtual ~DueEviction() = default;

  [[nodiscard]] const EvictionSignal& signal() const { return signal_; }
  // The whole order. The first call composes it by the figures that the decision was made by.
  [[nodiscard]] const EvictionOrder& order() {
    if (!order_) order_ = Compose();
    return *order_;
  }

 private:
  [[nodiscard]] virtual EvictionOrder Compose() const = 0;

  EvictionSignal signal_;
  std::optional<EvictionOrder> order_;
};

// An eviction whose order there is already. It must outlive this.
class OrderedEviction final : public DueEviction {
 public:
  explicit OrderedEviction(const EvictionOrder& order)
      : DueEviction({.pod_uid = order.pod_uid,
                     .grace_period_seconds = order.grace_period_seconds,
                     .soft = order.soft}),
        ordered_(order) {}

 private:
  [[nodiscard]] EvictionOrder Compose() const override { return ordered_; }

  const EvictionOrder& ordered_;
};

// What became of the order to fail a pod.
enum class EvictOutcome : std::uint8_t {
  kEnding,     // it has been told to end
  kWasEnding,  // it is ending as soon as that already, so nothing was done
  kDryRun,     // nothing was done, because this is a dry run
  kAsked,      // nothing was done yet: the API server is asked first
};

}  // namespace jettison
