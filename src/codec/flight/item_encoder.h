#pragma once

#include <recording.pb.h>

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/recording/recording.h"

namespace jettison {

// How much a pass says of figures that are as in the pass before.
enum class RecordedForm : std::uint8_t {
  kChanges,  // nothing
  kWhole,    // all, so that it can be read by itself
};

// Makes the messages of a recording's items. What they refer to by number, policies and pods, comes
// before them. A state, observations and an evaluation that follow are left out.
class ItemEncoder {
 public:
  using Put = std::function<void(const recording::Item& message)>;

  ItemEncoder(RecordedForm form, Put put) : form_(form), put_(std::move(put)) {}

  void Add(const RecordedItem& item);
  // What was put before cannot be referred to any more.
  void BeginAnew();

 private:
  struct KnownPod {
    std::shared_ptr<const PodFacts> facts;  // seen last
    std::string message;                    // its bytes, without the number
    std::uint32_t id = 0;
  };
  struct KnownFigures {
    std::uint32_t id = 0;
    std::uint64_t pass = 0;  // that has them, by its number here
    std::optional<recording::PodStats> stats;
  };
  using Ids = std::vector<std::uint32_t>;

  void AddPass(const RecordedPass& pass);
  [[nodiscard]] std::uint32_t PolicyId(const PassPolicy& policy);
  [[nodiscard]] std::uint32_t PodId(const std::shared_ptr<const PodFacts>& facts);
  void PutNode(const NodeStats& node, recording::Pass& into);
  void PutFigures(const std::vector<PodStats>& pods, recording::Pass& into);
  [[nodiscard]] KnownFigures& FiguresOf(const std::string& uid);
  [[nodiscard]] bool IsAsBefore(Ids ids, std::optional<Ids>& before) const;

  RecordedForm form_;
  Put put_;
  std::map<std::string, std::uint32_t> policies_;  // by their bytes
  std::map<std::string, KnownPod> pods_;           // by UID
  std::uint32_t next_pod_ = 0;
  std::map<std::string, KnownFigures> figures_;  // by UID
  std::optional<Ids> active_;                    // of the pass before
  std::optional<Ids> order_;                     // ... of its figures
  std::optional<recording::NodeStats> node_;     // ... of the node
  std::string next_state_;                       // that it left, as bytes; empty: there was none
  std::uint64_t passes_ = 0;
};

}  // namespace jettison
